// SPDX-License-Identifier: Apache-2.0

// The locks in a program for 32 bits: two threads add under each, and no addition is lost.
// Without GoogleTest, whose library has 64 bits.
#include <cstdio>
#include <string>
#include <thread>

#include "primitives/adaptive_mutex.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/recursive_mutex.h"
#include "primitives/striped_lock.h"

namespace {

constexpr int kEach = 20'000;

// `add` calls what it is given while it holds the lock.
template <class Add>
bool excludes(const char* name, Add add) {
  int number = 0;
  const auto work = [&] {
    for (int i = 0; i < kEach; ++i) add([&] { ++number; });
  };
  std::thread other(work);
  work();
  other.join();
  if (number != 2 * kEach) std::printf("%s: %d of %d additions\n", name, number, 2 * kEach);
  return number == 2 * kEach;
}

template <class Lock>
bool lock_excludes(const char* name) {
  Lock lock;
  return excludes(name, [&](auto work) {
    lock.lock();
    work();
    lock.unlock();
  });
}

template <class Key>
bool keyed_excludes(const char* name, const Key& key) {
  lockbench::KeyedMutex<Key> locks;
  return excludes(name, [&](auto work) {
    const auto guard = locks.lock(key);
    work();
  });
}

bool striped_excludes() {
  lockbench::StripedLock<lockbench::AdaptiveMutex> locks(16);
  return excludes("StripedLock", [&](auto work) {
    auto handle = locks.handle(7);
    handle.lock();
    work();
    handle.unlock();
  });
}

}  // namespace

int main() {
  using namespace lockbench;
  static_assert(sizeof(void*) == 4);
  const bool all[] = {lock_excludes<AdaptiveMutex>("AdaptiveMutex"),
                      lock_excludes<RecursiveMutex<AdaptiveMutex>>("RecursiveMutex"),
                      keyed_excludes<int>("KeyedMutex<int>", -1),
                      keyed_excludes<std::uint64_t>("KeyedMutex<uint64_t>", 1ULL << 40),
                      keyed_excludes<std::string>("KeyedMutex<string>", "key"),
                      striped_excludes()};
  for (const bool one : all) {
    if (!one) return 1;
  }
  return 0;
}
