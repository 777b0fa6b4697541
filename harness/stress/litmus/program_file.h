// SPDX-License-Identifier: Apache-2.0

// ProgramFile: a litmus program in a file, for programs that do not fit on a command line. The text
// is that of program.h; it may have several lines, and `#` begins a comment that ends with its
// line:
//
//   # a holder of many keys, and a thread that tries one of them
//   L0 L1 L2 U U U
//   | T1 U
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/stress/litmus/program.h"

namespace lockbench::stress {

// `name` is the file's name for messages. Fails with InvalidArgument like program_from(), and if
// there are no acts; the message begins with `name:line:column: `, counted from 1 in bytes.
absl::StatusOr<LitmusProgram> program_in_file(std::string_view text, const std::string& name,
                                              std::size_t most_threads);

namespace internal {

// As program_from(). If it fails, `wrong_at` is the position in `text` of the word that is wrong.
absl::StatusOr<LitmusProgram> program_at(std::string_view text, std::size_t most_threads,
                                         std::size_t& wrong_at);

}  // namespace internal
}  // namespace lockbench::stress
