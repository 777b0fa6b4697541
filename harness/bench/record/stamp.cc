// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/stamp.h"

#include <cctype>
#include <cstdio>
#include <ctime>
#include <random>

namespace lockbench {
namespace {

std::string utc(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

}  // namespace

std::string utc_now() {
  return utc("%Y-%m-%dT%H:%M:%SZ");
}

std::string new_run_id(std::string_view preset) {
  // A folder's name may have 255 bytes; this limit keeps it readable.
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : preset.substr(0, kLongest))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  char chance[8];
  std::snprintf(chance, sizeof chance, "%04x", std::random_device{}() & 0xffffu);
  return utc("%Y%m%d-%H%M%S-") + name + "-" + chance;
}

}  // namespace lockbench
