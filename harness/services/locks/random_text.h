// SPDX-License-Identifier: Apache-2.0

// random_text: 32 hexadecimal digits that no other holder has, from the kernel's random numbers;
// and the same in 22 characters, for services that distinguish upper from lower case.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/random.h>
#include <utility>

#include "primitives/service.h"

namespace lockbench::services {

inline std::array<std::uint64_t, 2> random_numbers() {
  std::array<std::uint64_t, 2> numbers{};
  if (getrandom(numbers.data(), sizeof numbers, 0) != sizeof numbers) {
    throw ServiceError("the kernel gives no random numbers (getrandom)");
  }
  return numbers;
}

inline std::string random_text() {
  const std::array<std::uint64_t, 2> numbers = random_numbers();
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(numbers[0]),
                static_cast<unsigned long long>(numbers[1]));
  return text.data();
}

// Letters, digits, `_` and `-`, six bits each.
inline std::string short_random_text() {
  constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdefghijklmnopqrstuvwxyz";
  constexpr int kDigitsOfANumber = 11;  // of 64 bits
  std::string text;
  for (std::uint64_t number : random_numbers()) {
    for (int i = 0; i < kDigitsOfANumber; ++i, number >>= 6) text += kDigits[number & 63];
  }
  return text;
}

}  // namespace lockbench::services
