// SPDX-License-Identifier: Apache-2.0

// ChosenPlaces: the places in the program whose mutexes are replaced.
//
// A place is the code that acquires a mutex first, as `lockbench observe` has it. They come in an
// environment variable: `OFFSET PATH` for each, separated by line ends. The offset is that of the
// call's last byte in the file, in hexadecimal; the path is that of a program or library.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <climits>

#include "harness/observe/recorder/loaded_code.h"

namespace lockbench {

inline constexpr char kPlacesVariable[] = "LOCKBENCH_SUBSTITUTE_PLACES";

class ChosenPlaces {
 public:
  // Those of this process. A copy: the program may change its environment.
  ChosenPlaces() {
    const char* const text = std::getenv(kPlacesVariable);
    if (text == nullptr) return;
    text_ = strdup(text);
    const ssize_t length = readlink("/proc/self/exe", program_, sizeof program_ - 1);
    if (length < 0) program_[0] = '\0';
  }

  // True if each mutex is replaced, wherever it is acquired.
  bool all() const { return text_ == nullptr; }

  // `caller`: the return address of the call.
  bool contain(const void* caller) const {
    const LoadedCode code = code_at(caller);
    if (code.library == nullptr) return false;
    const char* const path = code.library[0] == '\0' ? program_ : code.library;
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(caller) - 1 - code.bias;
    const std::size_t length = strnlen(path, kMostPathBytes);
    for (const char* line = text_; *line != '\0';) {
      char* end = nullptr;
      const bool same_offset = std::strtoull(line, &end, 16) == offset && *end == ' ';
      const std::size_t rest = std::strcspn(end, "\n");
      if (same_offset && rest == length + 1 && std::memcmp(end + 1, path, length) == 0) return true;
      line = end + rest + (end[rest] == '\n' ? 1 : 0);
    }
    return false;
  }

 private:
  char* text_ = nullptr;  // nullptr: all
  char program_[PATH_MAX] = {};
};

}  // namespace lockbench
