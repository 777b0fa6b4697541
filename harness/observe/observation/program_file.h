// SPDX-License-Identifier: Apache-2.0

// ProgramFile: whether the loader can put a library of ours into a user's program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <absl/status/statusor.h>

namespace lockbench {

struct ProgramFile {
  std::filesystem::path path;
  // The program that runs the file, if the file is a script: then its locks are this one's.
  std::string interpreter = {};
};

enum class Preloadable {
  kYes,
  kUnknown,       // it cannot be read, or is no program
  kOtherMachine,  // it is for another kind of processor
  kOtherRights,   // setuid, setgid or capabilities: the loader ignores the library
  kStatic,        // it has no loader
  kSanitizer,     // AddressSanitizer refuses to start behind another library
  kOtherLibrary,  // it is linked with musl, whose loader cannot load a library for glibc
};

// The answer for a program that is no script.
Preloadable preloadable(const std::filesystem::path& program);

// The program that a shell would run for this word.
std::optional<std::filesystem::path> program_on_path(const std::string& word);

// Finds the word as a shell does. NotFound: there is no such program. FailedPrecondition: there is,
// but it is linked statically, runs with the rights of another user, or is of another kind of
// machine; the message says which and what to do.
absl::StatusOr<ProgramFile> find_preloadable(const std::string& word);

}  // namespace lockbench
