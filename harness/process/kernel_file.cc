// SPDX-License-Identifier: Apache-2.0

#include "harness/process/kernel_file.h"

#include <charconv>

#include "harness/record/files.h"

namespace lockbench {

std::optional<std::string> kernel_text(const std::filesystem::path& path) {
  constexpr const char* kBlank = " \t\r\n";
  const absl::StatusOr<std::string> text = read_file(path, kMostKernelFileBytes);
  if (!text.ok()) return std::nullopt;
  const std::size_t begin = text->find_first_not_of(kBlank);
  if (begin == std::string::npos) return std::nullopt;
  return text->substr(begin, text->find_last_not_of(kBlank) - begin + 1);
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> kernel_number(const std::filesystem::path& path) {
  const std::optional<std::string> text = kernel_text(path);
  return text ? whole_number(*text) : std::nullopt;
}

}  // namespace lockbench
