// SPDX-License-Identifier: Apache-2.0

// The product of two numbers of 64 bits, which has 128.
#pragma once

#include <cstdint>

namespace lockbench::internal {

struct WideProduct {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

// By the halves of both numbers, for compilers without a type of 128 bits (those for 32 bits).
constexpr WideProduct wide_product_of_halves(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t kHalf = 0xffffffff;
  const std::uint64_t low = (a & kHalf) * (b & kHalf);
  const std::uint64_t left = (a >> 32) * (b & kHalf);
  const std::uint64_t right = (a & kHalf) * (b >> 32);
  const std::uint64_t middle = (low >> 32) + (left & kHalf) + (right & kHalf);
  return {.high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32),
          .low = (middle << 32) | (low & kHalf)};
}

constexpr WideProduct wide_product(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {.high = static_cast<std::uint64_t>(product >> 64),
          .low = static_cast<std::uint64_t>(product)};
#else
  return wide_product_of_halves(a, b);
#endif
}

}  // namespace lockbench::internal
