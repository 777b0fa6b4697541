// SPDX-License-Identifier: Apache-2.0

// LoadedCode: the program or library that contains an address of code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <features.h>
#include <link.h>

#include <climits>

namespace lockbench {

// The length of a path that is recorded: as long as the kernel lets a path be. The memory of a
// recording is used where it is written, so short paths do not cost more.
inline constexpr std::size_t kMostPathBytes = PATH_MAX - 1;

struct LoadedCode {
  const char* library = nullptr;  // its path; empty: the program; nullptr: unknown
  std::uint64_t bias = 0;         // address in memory minus address in the file
};

// Takes no lock: dladdr() would take the loader's, which a thread may hold that waits for a lock of
// the program. With a C library before 2.35, the answer is that it is unknown.
inline LoadedCode code_at([[maybe_unused]] const void* address) {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  if (_dl_find_object(const_cast<void*>(address), &found) != 0) return {};
  const link_map& map = *found.dlfo_link_map;
  return {.library = map.l_name == nullptr ? "" : map.l_name, .bias = map.l_addr};
#else
  return {};
#endif
}

}  // namespace lockbench
