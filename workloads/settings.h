// SPDX-License-Identifier: Apache-2.0

// Settings: the parameters of a workload, as plain aggregates.
//
// They do not depend on files or command lines; harness/bench/plan converts the text of users to
// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace lockbench {

using Nanoseconds = std::chrono::nanoseconds;

// The work of a thread inside the critical section (hold) or between two operations (think).
struct Work {
  enum class Kind {
    kNone,
    kSpin,         // computes for `duration`
    kSleep,        // sleeps for `duration`
    kTouch,        // writes `lines` cache lines that belong to the key (hold) or the thread (think)
    kRandomSpin,   // computes for times with an exponential distribution and the mean `duration`
    kRandomSleep,  // sleeps for such times
    kMixedSpin,    // computes for the times of `mix`, each of which is as likely as any other
    kMixedSleep,   // sleeps for such times
  };

  Kind kind = Kind::kNone;
  Nanoseconds duration{0};  // of random times, the mean
  std::uint32_t lines = 0;
  std::vector<Nanoseconds> mix;  // e.g. the quantiles of what a program's threads do

  bool computes() const {
    return kind == Kind::kSpin || kind == Kind::kRandomSpin || kind == Kind::kMixedSpin;
  }
  bool sleeps() const {
    return kind == Kind::kSleep || kind == Kind::kRandomSleep || kind == Kind::kMixedSleep;
  }

  bool operator==(const Work&) const = default;
};

// Which key each operation is for.
struct KeyDistribution {
  enum class Kind {
    kUniform,
    kZipf,      // key of rank r (from 1) with probability proportional to 1 / r^theta
    kHot,       // a share of the operations goes to a fraction of the keys
    kAssigned,  // key k gets exactly counts[k] operations, distributed over the threads
    kOwn,       // thread t uses only key t (modulo the number of keys)
  };

  Kind kind = Kind::kUniform;
  double theta = 0.99;                // zipf: 0 (uniform) to 10
  double hot_fraction = 0;            // hot: of the keys, in (0, 1)
  double hot_share = 0;               // hot: of the operations, in (0, 1)
  std::vector<std::uint32_t> counts;  // assigned: one count per key

  bool operator==(const KeyDistribution&) const = default;
};

enum class KeyType { kU64, kString };

// Everything that a workload knows about its trial.
struct WorkloadSettings {
  std::uint32_t threads = 1;
  std::uint64_t keys = 1;
  KeyDistribution key_distribution;
  Work hold;
  double write_share = 1;        // of the operations, 0 to 1; the others read
  Nanoseconds timeout{0};        // 0: waits without a limit; else try_lock_for(timeout)
  std::uint64_t operations = 0;  // per thread, if the number is fixed; 0 if the trial ends by time
  std::string scenario;          // one of the workload's kScenarios; empty: the user gave none
  bool watch_conflicts = false;  // distinguishes false conflicts from true ones, if keys are hashed
  std::string server;            // the address of a database server; empty: there is none
  std::uint64_t seed = 1;
};

}  // namespace lockbench
