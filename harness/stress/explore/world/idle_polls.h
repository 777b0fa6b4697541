// SPDX-License-Identifier: Apache-2.0

// IdlePolls: how often threads have polled again while all others could only do the same. They say
// how the threads that poll take turns, when time passes, and when they wait forever.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lockbench::stress::explore {

class IdlePolls {
 public:
  // Threads that pause may poll again this many times each in any order, although no word has
  // changed. After that they poll in turn.
  static constexpr std::uint32_t kFree = 2;

  void reset() { since_ = count_ = 0; }
  // Something has happened that is no change of a word.
  void restart() { count_ = 0; }

  // One more, of one of this many threads. `changes` is the value of Memory::changes().
  void add(std::uint64_t changes, std::uint32_t threads) {
    if (std::exchange(since_, changes) != changes) count_ = 0;
    ++count_;
    threads_ = threads;
  }

  bool are_in_turn() const { return count_ > kFree * threads_; }
  // True if time may pass; overdue: while a call is overdue.
  bool let_time_pass(bool overdue) const {
    return overdue ? count_ > kMost * threads_ / 2 : count_ > before_time_ * threads_;
  }
  // True if the threads wait forever.
  bool are_too_many() const { return count_ > std::max(kMost, before_time_) * threads_; }

  // How many times each thread may poll again before time passes. Returns the number until now.
  std::uint32_t set_before_time_passes(std::uint32_t polls) {
    return std::exchange(before_time_, polls);
  }

 private:
  // Threads that have polled in turn this many times count as waiting forever.
  static constexpr std::uint32_t kMost = 1000;

  std::uint64_t since_ = 0;  // value of Memory::changes()
  std::uint32_t count_ = 0;
  std::uint32_t threads_ = 0;
  std::uint32_t before_time_ = kFree;
};

}  // namespace lockbench::stress::explore
