// SPDX-License-Identifier: Apache-2.0

// SimulatedClock: the time of an execution, and when the current calls of its threads must return.
//
// A lock counts a timeout from the moment at which it first reads the clock. If it does so later
// than at the beginning of the call, the moment at which the call is due moves by the same amount;
// otherwise the timeout would never end for a thread that spins. If time passes later in the call,
// though the thread could run, the lock may have counted from a reading after that: if nothing else
// goes on, as much time passes once more.
#pragma once

#include <array>
#include <cstdint>

#include "harness/stress/explore/memory/vector_clock.h"

namespace lockbench::stress::explore {

class SimulatedClock {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;
  // The time when an execution begins: just before a full second, so that a deadline that is
  // computed as a timespec has to carry.
  static constexpr std::int64_t kStartNs = 999'999'700'000;

  void reset();

  std::int64_t now_ns() const { return now_ns_; }

  // The current call of the thread must return at `due_ns`.
  void expect_answer(std::uint32_t thread, std::int64_t due_ns);
  void answered(std::uint32_t thread) { calls_[thread].due_ns = kNever; }
  bool expects_any_answer() const;

  // The thread reads the clock.
  std::int64_t read(std::uint32_t thread);

  // is_due: the call must have returned by now. any_overdue: some call must have, even if the lock
  // counted its timeout from the last moment from which it may have.
  bool is_due(std::uint32_t thread) const { return calls_[thread].due_ns <= now_ns_; }
  bool any_overdue() const;
  // True if a call is due later, but not yet; with_spare: or not yet overdue.
  bool any_due_later(bool with_spare) const;
  // The next moment at which a call is due or overdue; kNever if there is none.
  std::int64_t next_due_ns() const;
  // The last moment from now on before the call of the thread is due; kNever if there is none.
  std::int64_t last_before_due_ns(std::uint32_t thread) const;

  // Time passes up to this moment, if it is later. After that, for each thread: add_overdue, if no
  // thread could run; add_spare, if this one could.
  void advance(std::int64_t moment_ns);
  void add_overdue(std::uint32_t thread);
  void add_spare(std::uint32_t thread);
  // True if the call became due when time passed last.
  bool became_due(std::uint32_t thread) const;

  // How much time has passed after the call was overdue, only because no thread could run.
  std::int64_t overdue_ns(std::uint32_t thread) const { return calls_[thread].overdue_ns; }

 private:
  struct Call {
    std::int64_t due_ns = kNever;
    std::int64_t timeout_ns = 0;  // until the call reads the clock
    std::int64_t spare_ns = 0;    // passed in the call, though the thread could run
    std::int64_t overdue_ns = 0;

    std::int64_t latest_ns() const { return due_ns == kNever ? kNever : due_ns + spare_ns; }
  };

  std::int64_t now_ns_ = kStartNs;
  std::int64_t before_ns_ = kStartNs;  // when time passed last
  std::array<Call, kMaxThreads> calls_{};
  bool any_call_ = false;  // a call had a moment at which it is due
};

}  // namespace lockbench::stress::explore
