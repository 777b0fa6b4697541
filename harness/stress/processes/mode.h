// SPDX-License-Identifier: Apache-2.0

// Mode: which faults are injected into the processes of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>

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

// Whether the processes are stopped at their system calls (call_watch.h).
constexpr bool watches_calls(FaultKind fault) {
  return fault == FaultKind::kKillInCall || fault == FaultKind::kStopInCall;
}

// Whether it kills processes that may hold or request the lock.
constexpr bool kills(FaultKind fault) {
  return fault == FaultKind::kKill || fault == FaultKind::kRecycle ||
         fault == FaultKind::kKillInCall;
}

struct Mode {
  std::string_view name;
  FaultKind fault;

  bool operator==(const Mode&) const = default;
};

inline constexpr std::size_t kModes = 8;

// The modes in the order in which they are used.
std::span<const Mode> modes();

// Fails with InvalidArgument and lists the modes that exist.
absl::StatusOr<std::size_t> mode_from(std::string_view name);

}  // namespace lockbench::stress::processes
