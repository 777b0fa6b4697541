// SPDX-License-Identifier: Apache-2.0

// The proof of an uncontended figure: the lock that was timed does lock.
//
// Nothing can go wrong between threads while one thread is alone, so a lock that does nothing would
// win every uncontended measurement. Therefore, after the timed loop and on the same object:
//   1  every key is free: the companion can take and give back each of them (violations);
//   2  with all of one key's capacity taken, the companion is not let in (violations);
//   3  this thread and the companion add to counters under the key at once (lost_updates).
//
// A primitive that promises no exclusion is asked only that this thread's own additions are there.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <latch>
#include <thread>
#include <vector>

#include "harness/micro/companion.h"
#include "primitives/platform/spin.h"
#include "workloads/operation.h"
#include "workloads/proof.h"

namespace lockbench {

// `handle_at(k)` makes a handle on the k-th of `keys` keys.
template <class HandleAt>
class ExclusionCheck {
 public:
  ExclusionCheck(Companion& companion, HandleAt handle_at, std::size_t keys, std::uint32_t capacity)
      : companion_(companion),
        handle_at_(handle_at),
        keys_(keys),
        capacity_(capacity),
        counts_(capacity) {}

  Proof prove() {
    Proof proof{.violations = keys_left_taken()};
    // A key that stays taken would make the rest wait forever.
    if (proof.violations != 0) return proof;
    proof.violations = intruders();
    proof.lost_updates = lost_in_race();
    return proof;
  }

  Proof prove_alone() {
    add_rounds();
    return {.lost_updates = kRounds - found()};
  }

 private:
  static constexpr std::uint64_t kRounds = 1000;

  // Handles neither copy nor move.
  struct Seat {
    Seat(HandleAt& handle_at, std::size_t key) : handle(handle_at(key)) {}
    decltype(std::declval<HandleAt&>()(0)) handle;
  };

  std::uint64_t keys_left_taken() {
    std::uint64_t taken = 0;
    companion_.run([&] {
      for (std::size_t key = 0; key < keys_; ++key) taken += could_enter(key) ? 0 : 1;
    });
    return taken;
  }

  bool could_enter(std::size_t key) {
    Seat seat(handle_at_, key);
    if (!seat.handle.try_lock()) return false;
    seat.handle.unlock();
    return true;
  }

  // Acquisitions beyond the capacity, and acquisitions refused although the key was free.
  // Each place is taken by a thread of its own: one thread may go in twice on the place it has.
  std::uint64_t intruders() {
    std::uint64_t violations = 0;
    std::latch leave(1);
    std::deque<std::latch> all_tried;
    std::vector<std::jthread> inside;
    for (std::uint32_t i = 0; i < capacity_; ++i) {
      std::latch& tried = all_tried.emplace_back(1);
      inside.emplace_back([this, &violations, &leave, &tried] {
        Seat seat(handle_at_, 0);
        const bool taken = seat.handle.try_lock();
        if (!taken) ++violations;
        tried.count_down();
        leave.wait();
        if (taken) seat.handle.unlock();
      });
      tried.wait();
    }
    companion_.run([&] { violations += could_enter(0) ? 1 : 0; });
    leave.count_down();
    return violations;
  }

  std::uint64_t lost_in_race() {
    std::atomic<int> ready = 0;
    // seq_cst: off the measured path; all that matters is that both set off together.
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

  void add_rounds() {
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      Seat seat(handle_at_, 0);
      seat.handle.lock();
      Guarded& count = counts_[place_of(seat.handle)];
      const std::uint64_t seen = count.read();
      platform::pause();  // time for the other thread to come between
      count.write(seen + 1);
      seat.handle.unlock();
    }
  }

  // What the holder may write to by itself.
  template <class Handle>
  static std::size_t place_of(const Handle& handle) {
    if constexpr (requires { handle.lease(); }) return handle.lease();
    return 0;
  }

  std::uint64_t found() const {
    std::uint64_t sum = 0;
    for (const Guarded& count : counts_) sum += count.read();
    return sum;
  }

  Companion& companion_;
  HandleAt handle_at_;
  const std::size_t keys_;
  const std::uint32_t capacity_;
  std::vector<Guarded> counts_;
};

}  // namespace lockbench
