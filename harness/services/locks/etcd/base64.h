// SPDX-License-Identifier: Apache-2.0

// Base64, in which etcd's JSON has keys and values (RFC 4648, section 4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockbench::services {

namespace internal {
inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}  // namespace internal

constexpr std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const bool padding = i > group.size();
      text += padding ? '=' : internal::kBase64Digits[bits >> (18 - 6 * i) & 63U];
    }
  }
  return text;
}

// Up to the first character that is no digit.
constexpr std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;  // of the bits that are not in `bytes` yet
  for (const char c : text) {
    const std::size_t digit = internal::kBase64Digits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xffU);
  }
  return bytes;
}

}  // namespace lockbench::services
