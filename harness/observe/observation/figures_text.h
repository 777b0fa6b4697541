// SPDX-License-Identifier: Apache-2.0

// Figures of an observation as words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lockbench {

using TableRow = std::vector<std::string>;

// Aligned columns: the first to the left, the others to the right. The rows have one length. Lines
// are at most `width` wide as far as that is reached by omitting the middle of what stands in the
// first column, of which kFewestColumns are left.
inline constexpr std::size_t kFewestColumns = 24;
std::string table_text(const std::vector<TableRow>& rows,
                       std::size_t width = std::numeric_limits<std::size_t>::max());

// `text`, or its begin and end with `…` between them, so that it has at most `most` columns.
std::string without_middle(const std::string& text, std::size_t most);

// `123 ns`, `4.56 µs`: three digits.
std::string duration_text(double ns);

// `12 %`, `0.34 %`, `< 0.01 %`.
std::string percent(double share);

// `1,234`.
std::string grouped(std::uint64_t count);

// The part of the locks of `Java` that is not seen, and the tool that shows it.
std::string runtime_text(const std::string& runtime);

}  // namespace lockbench
