// SPDX-License-Identifier: Apache-2.0

// Mode: one way of disturbing the threads of an epoch. No single way finds every fault, and some
// hide what another shows: a yield gives a starved thread its turn. So they go in rotation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>

namespace lockbench::stress::threads {

enum class FaultKind : std::uint8_t {
  kNone,
  kCollisions,        // two threads, who meet before each pass over a list of an act or two
  kYields,            // at a quarter of the lock boundaries; sleeps of up to 65 us at 1 in 64
  kLowPriority,       // threads become idle ones or batch ones for a while
  kOneCore,           // all on one processor
  kOversubscription,  // many more threads than processors
  kMigration,         // threads are sent from processor to processor
  kLongHolds,         // of 30 ms, which is longer than anybody spins
  kSignals,           // a handler that dawdles runs anywhere, inside the lock's own code, too
  kSignalsRestart,    // the same, with system calls begun again
  kThreadChurn,       // threads end after some acts; others follow, with the ids of the dead
  kAccessDelays,      // yields and sleeps inside of the lock's calls, before its accesses
  kFairness,          // injects nothing; all threads request one key all the time
};

struct Mode {
  std::string_view name;
  FaultKind fault;
  bool may_yield;  // half of its epochs have the yields of kYields, too

  bool operator==(const Mode&) const = default;
};

// In the order of their turns.
std::span<const Mode> modes();

inline constexpr std::size_t kModes = 13;

// Fails with InvalidArgument, naming those that there are.
absl::StatusOr<Mode> mode_from(std::string_view name);

}  // namespace lockbench::stress::threads
