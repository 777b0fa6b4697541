// SPDX-License-Identifier: Apache-2.0

// Figures of an observation as words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockbench {

using TableRow = std::vector<std::string>;

// Aligned columns: the first to the left, the others to the right. The rows have one length.
std::string table_text(const std::vector<TableRow>& rows);

// `123 ns`, `4.56 µs`: three digits.
std::string duration_text(double ns);

// `12 %`, `0.34 %`, `< 0.01 %`.
std::string percent(double share);

// `1,234`.
std::string grouped(std::uint64_t count);

// The part of the locks of `Java` that is not seen, and the tool that shows it.
std::string runtime_text(const std::string& runtime);

}  // namespace lockbench
