// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/fingerprint.h"

#include <cstdint>

#include <absl/strings/str_format.h>

namespace lockbench {

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return absl::StrFormat("%016x", hash);
}

}  // namespace lockbench
