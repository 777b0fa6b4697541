// SPDX-License-Identifier: Apache-2.0

// Sample: what one trial measured.
//
// A figure that was not measured is absent, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/measure/latency_summary.h"

namespace lockbench {

// How a trial ended.
enum class Outcome {
  kOk,        // it ran to its end; whether its proof holds is told apart (Sample::valid)
  kDeadlock,  // no thread made progress for the cell's stall limit
  kTimeout,   // some did, but the trial took longer than its time limit
  kCrashed,   // the process ended by a signal or without a sample
  kFailed,    // it could not be set up: too many threads for this machine, say
};

struct Sample {
  Outcome outcome = Outcome::kOk;
  std::string reason;  // empty when ok and valid; else one line for people

  std::optional<std::uint64_t> operations;  // of all threads, in the window
  std::optional<double> window_s;           // as measured; what rates are divided by
  std::optional<double> makespan_s;         // fixed mode: from the start to the last thread's end
  std::optional<double> ideal_s;            // fixed mode: what a perfect lock would take
  std::optional<LatencySummary> wait;       // from asking for the lock to having it
  std::optional<LatencySummary> hold;       // from having it to giving it back
  std::optional<std::uint64_t> thread_operations_min;
  std::optional<std::uint64_t> thread_operations_max;
  std::optional<double> fairness_jain;  // 1: all threads did the same; 1/threads: one did all
  std::optional<double> overlap;        // share of the window in which all threads were at work

  std::optional<double> cpu_user_s;  // of the process, in the window
  std::optional<double> cpu_system_s;
  std::optional<std::uint64_t> voluntary_switches;
  std::optional<std::uint64_t> involuntary_switches;
  std::optional<std::uint64_t> peak_rss_bytes;
  std::optional<std::uint64_t> lock_bytes;  // what the primitive occupies when all have left

  std::optional<std::uint64_t> timeouts;  // acquisitions given up: out of time, failed, refused
  std::optional<std::uint64_t> lost_updates;
  std::optional<std::uint64_t> violations;
  std::optional<std::uint64_t> expired_holds;   // holds ended because their time was up
  std::optional<std::uint64_t> refused_writes;  // updates of such holders, refused and not made
  std::optional<std::uint64_t> unserved;  // open loop: arrivals that had no turn in the window
  std::optional<double> idle_lateness_mean_ns;  // open loop: how late an idle thread started
  std::optional<bool> pinning_held;             // every bound thread ran where it was bound to
  std::optional<double> run_delay_share;   // of the window: the longest that a thread waited to run
  std::optional<double> denied_cpu_share;  // of the processor time that its threads could have had
  std::optional<double> steal_share;       // of the processors' time: taken by the host
  std::optional<double> other_cpu_share;   // and used by other processes
  std::optional<double> false_conflicts;  // of the waits watched: the lock was held for another key
  std::optional<double> key_bytes_live;   // of a held key, the handle included
  std::optional<double> key_bytes_idle;   // of a key that nobody uses any more

  std::string interference;  // what others that used the processors did to it; empty: little
  std::string disturbance;   // why the figures are not to be believed; empty: nothing is known
  std::string counts;        // final value of each key's counter, at most 32 keys; else empty

  // Its proof was made and holds.
  bool proven() const { return outcome == Outcome::kOk && lost_updates == 0u && violations == 0u; }

  // Proven, and nothing disturbed it: only then may its figures be shown.
  bool valid() const { return proven() && disturbance.empty(); }

  bool operator==(const Sample&) const = default;
};

}  // namespace lockbench
