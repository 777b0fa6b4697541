// SPDX-License-Identifier: Apache-2.0

// The targets for libFuzzer, one program for all: scripts/maintain/fuzz.sh runs it.
//
//   fuzz_libfuzzer --target=NAME [libFuzzer's flags] [CORPUS]...
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets.h"

namespace lockbench::fuzz {
namespace {

Target chosen;

// libFuzzer leaves words with two dashes alone.
constexpr std::string_view kFlag = "--target=";

bool choose(std::string_view name) {
  for (const Target& target : all_targets()) {
    if (target.name == name) chosen = target;
  }
  return chosen.run != nullptr;
}

}  // namespace
}  // namespace lockbench::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  using namespace lockbench::fuzz;
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*words)[i];
    if (word.starts_with(kFlag) && choose(word.substr(kFlag.size()))) return 0;
  }
  std::fputs("fuzz_libfuzzer: --target=NAME is missing or unknown; NAME is one of:", stderr);
  for (const Target& target : all_targets()) {
    std::fprintf(stderr, " %s", std::string(target.name).c_str());
  }
  std::fputc('\n', stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  lockbench::fuzz::chosen.run({reinterpret_cast<const char*>(bytes), count});
  return 0;
}
