// SPDX-License-Identifier: Apache-2.0

// Reads the small files in which the kernel describes a machine, one value in each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lockbench {

// The contents without leading and trailing blanks; absent if the file does not exist, or if it is
// empty.
std::optional<std::string> kernel_text(const std::filesystem::path& path);

// The contents as a whole number from 0; absent if they are anything else.
std::optional<std::uint64_t> kernel_number(const std::filesystem::path& path);

// `text` as a whole number from 0; absent if it is anything else.
std::optional<std::uint64_t> whole_number(std::string_view text);

}  // namespace lockbench
