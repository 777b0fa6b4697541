// SPDX-License-Identifier: Apache-2.0

// The examples of docs/reference.md and README.md run, against lockbench::primitives as installed.
#include <chrono>
#include <cstdint>
#include <lockbench/keyed_mutex.h>
#include <lockbench/lease_pool.h>
#include <mutex>
#include <string_view>
#include <thread>

#include "primitives/reentrant_lock.h"
#include "primitives/striped_lock.h"

namespace {

lockbench::KeyedMutex<> rows(4096);
int touched = 0;

void touch(std::uint64_t row) {
  auto guard = rows.lock(row);
  ++touched;
}

void touch_with_the_standard_s_guard(std::uint64_t row) {
  auto handle = rows.handle(row);
  std::scoped_lock guard(handle);
  ++touched;
}

bool touch_soon(std::uint64_t row) {
  auto handle = rows.handle(row);
  std::unique_lock guard(handle, std::chrono::milliseconds(5));
  return guard.owns_lock();
}

void move(std::uint64_t from, std::uint64_t to) {
  auto both = rows.lock_all({from, to});
}

lockbench::KeyedMutex<std::string_view> accounts;

bool same_user_waits(std::string_view user) {
  auto account = accounts.handle(user);
  std::scoped_lock guard(account);
  bool got = true;
  std::thread([&] {
    auto other = accounts.handle(user);
    got = other.try_lock();
  }).join();
  return !got;
}

bool owner_enters_again() {
  lockbench::ReentrantLock<> lock;
  auto handle = lock.handle(std::uint64_t{0});
  std::scoped_lock outer(handle);
  auto again = lock.handle(std::uint64_t{0});
  std::scoped_lock inner(again);
  return true;
}

bool stripes_and_leases() {
  lockbench::StripedLock<std::mutex> striped(64);
  auto stripe = striped.handle(std::uint64_t{7});
  std::scoped_lock guard(stripe);
  lockbench::LeasePool pool(1, 2);
  auto first = pool.handle(std::uint64_t{0});
  std::scoped_lock held(first);
  return first.lease() < 2;
}

}  // namespace

int main() {
  touch(1);
  touch_with_the_standard_s_guard(1);
  move(1, 2);
  const bool right = touched == 2 && touch_soon(1) && same_user_waits("ada") &&
                     owner_enters_again() && stripes_and_leases();
  return right ? 0 : 1;
}
