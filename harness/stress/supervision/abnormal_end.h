// SPDX-License-Identifier: Apache-2.0

// abnormal_end(): what the status of a process that ended shows to the oracles.
#pragma once

#include <cstdint>
#include <optional>
#include <sys/wait.h>

#include "harness/stress/oracles/observations.h"

namespace lockbench::stress {

// `status` is waitpid()'s. Absent if the process exited with 0. `thread`: who ended, if known.
inline std::optional<ProcessEnd> abnormal_end(int status, std::uint32_t thread = kNoThread) {
  if (WIFSIGNALED(status)) return ProcessEnd{.thread = thread, .signal = WTERMSIG(status)};
  if (WEXITSTATUS(status) == 0) return std::nullopt;
  return ProcessEnd{.thread = thread, .exit_code = WEXITSTATUS(status)};
}

}  // namespace lockbench::stress
