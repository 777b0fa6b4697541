// SPDX-License-Identifier: Apache-2.0

// random_text: 32 hexadecimal digits that no other holder has, from the kernel's random numbers.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/random.h>
#include <utility>

#include "primitives/service.h"

namespace lockbench::services {

inline std::string random_text() {
  std::array<std::uint64_t, 2> numbers{};
  if (getrandom(numbers.data(), sizeof numbers, 0) != sizeof numbers) {
    throw ServiceError("the kernel gives no random numbers (getrandom)");
  }
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(numbers[0]),
                static_cast<unsigned long long>(numbers[1]));
  return text.data();
}

}  // namespace lockbench::services
