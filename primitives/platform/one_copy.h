// SPDX-License-Identifier: Apache-2.0

// One copy: warns, in debug builds, when a second copy of the headers' variables is loaded into the
// process. Why there should be one: thread.h.
//
// The copies know nothing of each other but what the C library keeps for the process. So each
// leaves its address in an environment variable before main(), or while it is loaded.
//
// Not offered  a look at whether the copies share a lock: if they do not, the warning is needless.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "primitives/platform/process.h"

namespace lockbench::platform::internal {

// True if this is the first copy.
inline bool announce_copy(const void* copy) noexcept {
  constexpr char kName[] = "LOCKBENCH_COPY";
  std::array<char, 64> program;
  std::array<char, 64> self;
  const int length = std::snprintf(program.data(), program.size(),
                                   "%ld:%016llx:", static_cast<long>(this_process()),
                                   static_cast<unsigned long long>(program_number()));
  std::snprintf(self.data(), self.size(), "%s%p", program.data(), copy);
  const char* const seen = std::getenv(kName);
  const bool first =
      seen == nullptr || std::strncmp(seen, program.data(), static_cast<std::size_t>(length)) != 0;
  if (!first && std::strcmp(seen, self.data()) != 0) {
    std::fputs(
        "lockbench: warning: two copies of the lock headers' variables are in this process; shared "
        "objects must not share locks with each other. See primitives/platform/thread.h\n",
        stderr);
  }
  if (first) setenv(kName, self.data(), 1);
  return first;
}

// Version 14 of clang-format takes it for something else.
// clang-format off
// One, or one for each copy.
struct [[gnu::visibility("default")]] Copy {
  Copy() noexcept { announce_copy(this); }
};
// clang-format on
[[gnu::visibility("default")]] inline const Copy this_copy;

}  // namespace lockbench::platform::internal
