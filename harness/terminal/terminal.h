// SPDX-License-Identifier: Apache-2.0

// Terminal: what is known of the place that a stream is written to.
#pragma once

#include <cstddef>

namespace lockbench {

inline constexpr std::size_t kUsualColumns = 80;

// Columns of the terminal behind a file descriptor; kUsualColumns where there is none, or where it
// does not tell.
std::size_t terminal_columns(int fd);

// Whether to colour what is written there: to a terminal that can, unless NO_COLOR is set to
// anything (no-color.org).
bool terminal_wants_colour(int fd);

}  // namespace lockbench
