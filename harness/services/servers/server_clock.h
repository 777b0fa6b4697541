// SPDX-License-Identifier: Apache-2.0

// The clock of a server: the clock of the machine and an offset, which can be changed while the
// server runs. A library that is loaded before all others (libfaketime) reads the offset from a
// file whenever the server asks for the time of day. The monotonic clock stays the machine's, as
// when an administrator or NTP sets a clock.
//
// Not offered  Servers that ask the kernel without the C library, as programs in Go do.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lockbench {

// The file of the library: that which LOCKBENCH_FAKETIME names, or Debian's. Without a value: there
// is none.
std::optional<std::string> clock_library();

// The environment of a server with a clock of its own. `folder`: of the server.
std::vector<std::string> clock_environment(const std::string& library, const std::string& folder);

// From now on, the clock of the server in this folder is later by `offset`, or earlier.
void set_server_clock(const std::string& folder, std::chrono::milliseconds offset);

// Removes what the library leaves when its process is killed.
void remove_clock_of(pid_t process);

}  // namespace lockbench
