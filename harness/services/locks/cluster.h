// SPDX-License-Identifier: Apache-2.0

// The statement of plug-ins about the number of servers of one cluster.
#pragma once

#include <cstdint>
#include <lockbench/plugin.h>

namespace lockbench::services {

// For `lockbench run`, which a user tells how many; for `stress`, three have a name of their own.
inline Number members(std::uint64_t usual) {
  return {.parameter = "members",
          .usual = usual,
          .least = 1,
          .most = 7,
          .meaning = "servers of one cluster",
          .servers = true};
}

}  // namespace lockbench::services
