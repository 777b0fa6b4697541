// SPDX-License-Identifier: Apache-2.0

// Mode: which faults are injected into the processes of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace lockbench::stress::processes {

enum class FaultKind : std::uint8_t {
  kNone,
  kKill,        // SIGKILL, preferably for a holder; another process replaces it
  kStop,        // SIGSTOP, preferably for a holder; SIGCONT after some time
  kRecycle,     // like kKill, and an unrelated process gets its number at once
  kKillInCall,  // SIGKILL before a system call that the lock makes; others are held for a while
                // there
  kStopInCall,  // processes are held before system calls that the lock makes
  kForks,       // processes fork while they hold; the children try the key and end
  kChurn,       // processes end by themselves after some holds and are replaced
};

// True if the processes are stopped at their system calls (call_watch.h).
constexpr bool watches_calls(FaultKind fault) {
  return fault == FaultKind::kKillInCall || fault == FaultKind::kStopInCall;
}

// True if it kills processes that may hold or request the lock.
constexpr bool kills(FaultKind fault) {
  return fault == FaultKind::kKill || fault == FaultKind::kRecycle ||
         fault == FaultKind::kKillInCall;
}

struct Mode {
  std::string_view name;
  FaultKind fault;

  bool operator==(const Mode&) const = default;
};

// In the order in which they are used. Those that find the most faults come first, so that a short
// budget is used well.
inline constexpr Mode kAllModes[] = {
    {"kill_in_call", FaultKind::kKillInCall},
    {"kill", FaultKind::kKill},
    {"stop_in_call", FaultKind::kStopInCall},
    {"stop", FaultKind::kStop},
    {"plain", FaultKind::kNone},
    {"recycle", FaultKind::kRecycle},
    {"forks", FaultKind::kForks},
    {"churn", FaultKind::kChurn},
};
inline constexpr std::size_t kModes = std::size(kAllModes);

constexpr std::span<const Mode> modes() {
  return kAllModes;
}

}  // namespace lockbench::stress::processes
