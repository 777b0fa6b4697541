// SPDX-License-Identifier: Apache-2.0

// AccessDelays: while one lives, threads yield and sleep before some of the accesses of
// instrumented code, inside of the lock's own calls. So a window of some nanoseconds between two
// accesses is open for long enough that others meet it.
//
// Each seed chooses some of the places in the code, where delays are frequent and long; elsewhere
// they are seldom and short. A window is met if one side of it is slow and the other is not.
#pragma once

#include <cstdint>

namespace lockbench::stress::threads {

class AccessDelays {
 public:
  // 0: none.
  explicit AccessDelays(std::uint64_t seed);
  ~AccessDelays();
  AccessDelays(const AccessDelays&) = delete;
  AccessDelays& operator=(const AccessDelays&) = delete;
};

// Before an access at `place` in the code: a delay, perhaps.
void delay_access(const void* place);

}  // namespace lockbench::stress::threads
