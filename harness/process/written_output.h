// SPDX-License-Identifier: Apache-2.0

// Whether what a program printed was written.
#pragma once

#include <string_view>

namespace lockbench {

// The exit code of a program that ends with `code`, once all that it printed is written: if
// something could not be, for example on a full disk, a line that begins with `who` says so, and
// the program does not end with success. It is no error if the reader has closed the pipe, as in
// `lockbench list | head -1`.
int end_of_output(std::string_view who, int code);

}  // namespace lockbench
