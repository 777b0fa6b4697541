// SPDX-License-Identifier: Apache-2.0

// Mode: one way to disturb the threads of an epoch. No single way finds every fault, and some hide
// faults that others show: for example, a yield gives a starving thread its turn. So the engine
// uses the modes in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>

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

// The modes in the order in which they are used.
std::span<const Mode> modes();

inline constexpr std::size_t kModes = 13;

// Fails with InvalidArgument and lists the modes that exist.
absl::StatusOr<Mode> mode_from(std::string_view name);

}  // namespace lockbench::stress::threads
