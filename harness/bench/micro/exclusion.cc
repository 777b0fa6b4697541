// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/exclusion.h"

#include <atomic>
#include <deque>
#include <latch>
#include <thread>

#include "primitives/platform/spin.h"

namespace lockbench {
namespace {

constexpr std::uint64_t kRounds = 1000;

}  // namespace

Proof ExclusionCheck::prove() {
  Proof proof{.violations = keys_left_taken()};
  // If a key is still held, the remaining checks would wait forever.
  if (proof.violations != 0) return proof;
  proof.violations = intruders();
  proof.lost_updates = lost_updates_in_race();
  return proof;
}

Proof ExclusionCheck::prove_alone() {
  add_rounds();
  return {.lost_updates = kRounds - found()};
}

std::uint64_t ExclusionCheck::keys_left_taken() {
  std::uint64_t taken = 0;
  companion_.run([&] {
    for (std::size_t key = 0; key < keys_; ++key) taken += could_enter(key) ? 0 : 1;
  });
  return taken;
}

bool ExclusionCheck::could_enter(std::size_t key) {
  const std::unique_ptr<CheckedHandle> handle = handle_at_(key);
  if (!handle->try_lock()) return false;
  handle->unlock();
  return true;
}

std::uint64_t ExclusionCheck::intruders() {
  std::uint64_t violations = 0;
  std::latch leave(1);
  std::deque<std::latch> all_tried;
  std::vector<std::jthread> inside;
  // Each slot is acquired by a different thread, because one thread may acquire its own slot
  // twice.
  for (std::uint32_t i = 0; i < capacity_; ++i) {
    std::latch& tried = all_tried.emplace_back(1);
    inside.emplace_back([this, &violations, &leave, &tried] {
      const std::unique_ptr<CheckedHandle> handle = handle_at_(0);
      const bool taken = handle->try_lock();
      if (!taken) ++violations;
      tried.count_down();
      leave.wait();
      if (taken) handle->unlock();
    });
    tried.wait();
  }
  companion_.run([&] { violations += could_enter(0) ? 1 : 0; });
  leave.count_down();
  return violations;
}

std::uint64_t ExclusionCheck::lost_updates_in_race() {
  std::atomic<int> ready = 0;
  // seq_cst: this is not on the measured path; both threads only have to start at the same time.
  const auto race = [&] {
    ++ready;
    while (ready < 2) platform::yield();
    add_rounds();
  };
  companion_.start(race);
  race();
  companion_.wait();
  return 2 * kRounds - found();
}

void ExclusionCheck::add_rounds() {
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    const std::unique_ptr<CheckedHandle> handle = handle_at_(0);
    handle->lock();
    Guarded& count = counts_[handle->slot()];
    const std::uint64_t seen = count.read();
    platform::pause();  // gives the other thread time to enter
    count.write(seen + 1);
    handle->unlock();
  }
}

std::uint64_t ExclusionCheck::found() const {
  std::uint64_t sum = 0;
  for (const Guarded& count : counts_) sum += count.read();
  return sum;
}

}  // namespace lockbench
