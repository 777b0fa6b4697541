// SPDX-License-Identifier: Apache-2.0

// PreparedProgram: what a command needs before it runs a person's program with the library that
// records.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace lockbench {

struct PreparedProgram {
  std::string preload;           // NAME=VALUE, with which the program loads the library
  std::filesystem::path folder;  // new, for the result
  std::string script;            // a sentence, if the program is one; else empty
  std::string interpreter;       // of the script
};

// `kind`, `out`: as of new_program_folder(). Internal: this machine or installation is at fault;
// any other error is bad input.
absl::StatusOr<PreparedProgram> prepare_program(std::string_view kind,
                                                const std::optional<std::filesystem::path>& out,
                                                const std::string& program);

}  // namespace lockbench
