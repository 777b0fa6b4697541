// SPDX-License-Identifier: Apache-2.0

// Terminal: facts about the terminal that a stream is written to.
#pragma once

#include <cstddef>

namespace lockbench {

inline constexpr std::size_t kUsualColumns = 80;

// Columns of the terminal behind a file descriptor; kUsualColumns if it is none or does not say.
std::size_t terminal_columns(int fd);

}  // namespace lockbench
