// SPDX-License-Identifier: Apache-2.0

// OneLine: words of others, fit for one line on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace lockbench {

// `text` with its control characters spelt out, as `\n` or `\x1b`: what was typed, or stands in a
// file, neither breaks an error into two lines nor commands the terminal. Pure.
std::string one_line(std::string_view text);

}  // namespace lockbench
