// SPDX-License-Identifier: Apache-2.0

// PiecewiseHash: FNV-1a, as fingerprint() computes it, of text that comes in pieces.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockbench {

class PiecewiseHash {
 public:
  void add(std::string_view piece) {
    for (const char c : piece) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    hash_ = (hash_ ^ 0x100) * 0x100000001b3;  // separates the pieces
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace lockbench
