// SPDX-License-Identifier: Apache-2.0

// FileName: the name of a key's lock file.
//
// Guarantees   two different keys have different names. No name leads out of the folder: it holds
//              no '/', and only the name of the empty key begins with '.'.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "primitives/platform/failure.h"

namespace lockbench::internal {

class FileName {
 public:
  static constexpr std::string_view kSuffix = ".lock";

  explicit FileName(std::uint64_t key) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), key).ptr;
    add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
    add(kSuffix);
  }

  // Letters, digits, '-' and '_' stay as they are; any other byte is written %XX. Throws
  // std::length_error if that is longer than a file name may be.
  explicit FileName(std::string_view key) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (const char c : key) {
      const auto byte = static_cast<unsigned char>(c);
      if (plain(c)) {
        add(std::string_view(&c, 1));
      } else {
        add(std::array{'%', kDigits[byte >> 4], kDigits[byte & 15]});
      }
    }
    add(kSuffix);
  }

  const char* c_str() const { return characters_.data(); }
  std::string_view text() const { return {characters_.data(), size_}; }

 private:
  static bool plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  }

  void add(std::array<char, 3> escaped) { add(std::string_view(escaped.data(), escaped.size())); }
  void add(std::string_view part) {
    if (size_ + part.size() >= characters_.size()) {
      platform::throw_error(
          std::length_error("file lock: a key is too long for a file's name; take one of up to " +
                            std::to_string((characters_.size() - 1 - kSuffix.size()) / 3) +
                            " bytes, or a hash of it"));
    }
    std::copy(part.begin(), part.end(), characters_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += part.size();
  }

  std::array<char, 256> characters_{};  // NAME_MAX and the terminating 0
  std::size_t size_ = 0;
};

}  // namespace lockbench::internal
