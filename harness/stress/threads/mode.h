// SPDX-License-Identifier: Apache-2.0

// Mode: one way to disturb the threads of an epoch. No single way finds every fault, and some hide
// faults that others show: for example, a yield gives a starving thread its turn. So the engine
// uses the modes in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace lockbench::stress::threads {

enum class FaultKind : std::uint8_t {
  kNone,
  kCollisions,        // two threads meet at a barrier before each pass over one or two acts
  kYields,            // yields at 1 in 4 lock boundaries; sleeps of up to 65 us at 1 in 64
  kLowPriority,       // threads get the idle or batch policy for some time
  kOneCore,           // all threads start on one processor and stay there
  kOversubscription,  // many more threads than processors
  kMigration,         // threads are moved from processor to processor
  kLongHolds,         // holds of 30 ms, which is longer than any lock spins
  kSignals,           // a handler that delays runs anywhere, also in the lock's own code
  kSignalsRestart,    // the same, with system calls restarted
  kThreadChurn,       // threads end after some acts; new ones follow with the same ids
  kAccessDelays,      // yields and sleeps inside of the lock's calls, before its accesses
  kFairness,          // injects nothing; all threads request one key all the time
};

struct Mode {
  std::string_view name;
  FaultKind fault;
  bool may_yield;  // half of its epochs also have the yields of kYields

  bool operator==(const Mode&) const = default;
};

// In the order in which they are used. Those that find the most faults come first, so that a short
// budget is used well.
inline constexpr Mode kAllModes[] = {
    {"access_delays", FaultKind::kAccessDelays, true},
    {"yields", FaultKind::kYields, true},
    {"collisions", FaultKind::kCollisions, false},
    {"signals", FaultKind::kSignals, true},
    {"plain", FaultKind::kNone, false},
    {"fairness", FaultKind::kFairness, false},
    {"low_priority", FaultKind::kLowPriority, true},
    {"long_holds", FaultKind::kLongHolds, true},
    {"one_core", FaultKind::kOneCore, true},
    {"oversubscription", FaultKind::kOversubscription, true},
    {"thread_churn", FaultKind::kThreadChurn, true},
    {"migration", FaultKind::kMigration, true},
    {"signals_restart", FaultKind::kSignalsRestart, true},
};
inline constexpr std::size_t kModes = std::size(kAllModes);

constexpr std::span<const Mode> modes() {
  return kAllModes;
}

}  // namespace lockbench::stress::threads
