// SPDX-License-Identifier: Apache-2.0

// Printable: makes text from outside (a name, a reason, a message of another program) safe for one
// line of a terminal or one cell of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockbench {

// `text` with every character that would end the line, command a terminal or reorder what is shown
// written as an escape: control characters (`\n`, `\x1b`), bytes that are not UTF-8 (`\xff`), and
// the marks that set the direction of text or separate lines (`\u202e`). Other text stays as it is;
// the result is valid UTF-8. Pure, O(text).
std::string printable(std::string_view text);

// As printable(), but line ends stay: for text of several lines.
std::string printable_lines(std::string_view text);

// The first `most` bytes of `text`, fewer if that would split a character, and how many follow:
// "abc … 1,048,321 bytes more". A text of at most `most` bytes stays as it is, unless
// `further_bytes` of it are not in `text`.
std::string clipped(std::string_view text, std::size_t most, std::uint64_t further_bytes = 0);

}  // namespace lockbench
