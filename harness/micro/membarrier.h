// SPDX-License-Identifier: Apache-2.0

// membarrier: makes every processor that runs this process execute a full memory barrier.
#pragma once

#include <cerrno>
#include <cstring>
#include <linux/membarrier.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockbench {

inline bool membarrier() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

// Call it before membarrier(). It may be called more than once. Returns why membarrier() is not
// available here, or an empty text.
inline std::string register_membarrier() {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) return {};
  return std::string("membarrier: ") + std::strerror(errno);
}

}  // namespace lockbench
