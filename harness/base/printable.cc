// SPDX-License-Identifier: Apache-2.0

#include "harness/base/printable.h"

#include <algorithm>
#include <array>

#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no character begins here
};

constexpr bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

// Reads the character at the start of `text`, which is not empty. Overlong forms, surrogates and
// codes beyond U+10FFFF are not characters.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {.code = lead, .bytes = 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {.code = code, .bytes = bytes};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

// Invisible characters that reorder text or end a line, and the byte order mark.
bool is_invisible_mark(std::uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

std::string escape_of(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return code < 0x100 ? absl::StrFormat("\\x%02x", code) : absl::StrFormat("\\u%04x", code);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t bytes = next.bytes == 0 ? 1 : next.bytes;
    if (next.bytes == 0) {
      line += escape_of(static_cast<unsigned char>(text[0]));
    } else if (is_control(next.code) || is_invisible_mark(next.code)) {
      line += escape_of(next.code);
    } else {
      line += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return line;
}

std::string printable_lines(std::string_view text) {
  std::string lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines += printable(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string clipped(std::string_view text, std::size_t most, std::uint64_t further_bytes) {
  if (text.size() <= most && further_bytes == 0) return std::string(text);
  std::size_t kept = std::min(most, text.size());
  // At most three bytes back: a longer sequence of these bytes is not part of a character.
  for (int i = 0; i < 3 && kept > 0 && kept < text.size() && continues(text[kept]); ++i) --kept;
  return absl::StrFormat("%s … %s bytes more", text.substr(0, kept),
                         grouped(text.size() - kept + further_bytes));
}

}  // namespace lockbench
