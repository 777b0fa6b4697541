// SPDX-License-Identifier: Apache-2.0

// SubstitutedLock: the base locks that can take the place of a program's pthread mutexes, or of its
// locks for readers and writers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// `std`, the C library's own, first; then the base locks of the catalog that have a library
// (harness/observe/substitute).
std::vector<std::string> substitutable_locks();

// Which lock takes the place of which mutexes or rwlocks.
struct Substitution {
  std::string lock;
  std::optional<std::filesystem::path> observed;  // the folder of an observation
  std::string place;  // an expression for names of its places; empty: all of its kind
};

// The environment, as NAME=VALUE, of a program with this lock: none for `std`, the unchanged
// program. The lock may be the file of such a library, with `.so` at its end. An error names the
// flag, and the locks that can be used.
absl::StatusOr<std::vector<std::string>> environment_for(const Substitution& substitution);

}  // namespace lockbench
