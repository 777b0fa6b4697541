// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/kernel_file.h"

#include <charconv>
#include <fcntl.h>
#include <unistd.h>

namespace lockbench {
namespace {

// More than any file of /proc or /sys has.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

// The contents; empty if they cannot be read.
std::string contents(const std::filesystem::path& path) {
  // Without O_NONBLOCK, open() of a FIFO waits for a writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  std::string text;
  char piece[1 << 12];
  ssize_t n = 0;
  while (text.size() <= kMostBytes && (n = ::read(file, piece, sizeof piece)) > 0) {
    text.append(piece, static_cast<std::size_t>(n));
  }
  ::close(file);
  return n == 0 ? text : std::string();
}

}  // namespace

std::optional<std::string> kernel_text(const std::filesystem::path& path) {
  constexpr const char* kBlank = " \t\r\n";
  const std::string text = contents(path);
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return std::nullopt;
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
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
