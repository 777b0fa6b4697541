// SPDX-License-Identifier: Apache-2.0

// AccessDelays: while an object of this class exists, threads yield and sleep before some accesses
// of instrumented code, inside of the lock's own calls. So a window of a few nanoseconds between
// two accesses stays open long enough for other threads to enter it.
//
// Each seed chooses some accesses in the code at which delays are frequent and long; elsewhere they
// are rare and short. Threads enter a window if one of the two sides is slow and the other is not.
#pragma once

#include <cstdint>

namespace lockbench::stress::threads {

class AccessDelays {
 public:
  // 0: no delays.
  explicit AccessDelays(std::uint64_t seed);
  ~AccessDelays();
  AccessDelays(const AccessDelays&) = delete;
  AccessDelays& operator=(const AccessDelays&) = delete;
};

// Called before an access at the address `code`. It may delay the thread.
void delay_access(const void* code);

}  // namespace lockbench::stress::threads
