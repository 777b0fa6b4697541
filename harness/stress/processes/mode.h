// SPDX-License-Identifier: Apache-2.0

// Mode: what befalls the processes of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>

namespace lockbench::stress::processes {

enum class FaultKind : std::uint8_t {
  kNone,
  kKill,     // SIGKILL, holders before others; another process follows
  kStop,     // SIGSTOP, holders before others; SIGCONT after a while
  kRecycle,  // as kKill, and an unconcerned process gets the dead one's number at once
  kChurn,    // processes end by themselves after some holds; others follow
};

struct Mode {
  std::string_view name;
  FaultKind fault;

  bool operator==(const Mode&) const = default;
};

inline constexpr std::size_t kModes = 5;

// In the order of their turns.
std::span<const Mode> modes();

// Fails with InvalidArgument, naming those that there are.
absl::StatusOr<std::size_t> mode_from(std::string_view name);

}  // namespace lockbench::stress::processes
