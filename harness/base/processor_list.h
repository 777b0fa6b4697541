// SPDX-License-Identifier: Apache-2.0

// Lists of processors as text, as the kernel writes them: "0-3,6". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockbench {

// More processors than any kernel can have.
inline constexpr int kMostProcessors = 1 << 20;

// The numbers in a list like "0,2,4-7", in its order; absent if the text is no such list, or names
// a number from kMostProcessors on.
std::optional<std::vector<int>> parse_processor_list(std::string_view text);

// "0-3,6,2", which parse_processor_list() reads back.
std::string processor_list(const std::vector<int>& numbers);

}  // namespace lockbench
