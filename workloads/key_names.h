// SPDX-License-Identifier: Apache-2.0

// KeyNames: the text of every key, for workloads whose keys are strings.
//
// All names have the same length and are stored one after the other; finding one costs a
// multiplication. Memory: keys x length bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockbench {

class KeyNames {
 public:
  // Names are prefix, the key's number with leading zeros, suffix: user0000042@example.com.
  KeyNames(std::string_view prefix, std::uint64_t keys, std::string_view suffix) {
    const std::size_t digits = std::to_string(keys - 1).size();
    length_ = prefix.size() + digits + suffix.size();
    text_.reserve(length_ * keys);
    for (std::uint64_t key = 0; key < keys; ++key) {
      const std::string number = std::to_string(key);
      text_.append(prefix).append(digits - number.size(), '0').append(number).append(suffix);
    }
  }

  std::string_view operator[](std::uint64_t key) const {
    return std::string_view(text_).substr(key * length_, length_);
  }

 private:
  std::size_t length_ = 0;
  std::string text_;
};

}  // namespace lockbench
