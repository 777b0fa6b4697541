// SPDX-License-Identifier: Apache-2.0

// Announcements: what a preloaded library of ours says of the programs that it is in, and of those
// that they start. So lockbench knows of each program of a run whether the library was in it.
//
// They are lines in a file that the environment variable names:
//   starts PID PROGRAM   the process is about to become this program, or was started as it
//   failed PID PROGRAM   it did not
//   begun PID PROGRAM    the library is in this program
//
// Guarantees   A program that begins without the library, because its environment lacks it or the
//              loader does not load it, is known if the program that started it has the library and
//              used a function of the C library for that.
// Not offered  Programs that are started by a system call of the program's own, system() or
// popen().
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockbench {

inline constexpr char kAnnouncementsVariable[] = "LOCKBENCH_ANNOUNCEMENTS";

inline constexpr char kStarts[] = "starts";
inline constexpr char kFailed[] = "failed";
inline constexpr char kBegun[] = "begun";

// The programs that did not say that the library is in them, each once. `first`: the one that was
// started with the library. Pure.
std::vector<std::string> programs_without_library(std::string_view announcements,
                                                  const std::string& first);

}  // namespace lockbench
