// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/program_file.h"

#include <algorithm>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

namespace lockbench::stress {
namespace {

// The text with a blank in place of each character that separates words, so that positions stay.
std::string in_one_line(std::string_view text) {
  std::string line(text);
  bool comment = false;
  for (char& c : line) {
    comment = (comment || c == '#') && c != '\n';
    if (comment || c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return line;
}

// `line:column` of a position.
std::string position_text(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return absl::StrCat(line, ":", position - begin + 1);
}

}  // namespace

absl::StatusOr<LitmusProgram> program_in_file(std::string_view text, const std::string& name,
                                              std::size_t most_threads) {
  const auto wrong = [&](std::size_t position, const std::string& what) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":", position_text(text, position), ": ", what));
  };
  std::size_t wrong_at = 0;
  absl::StatusOr<LitmusProgram> program =
      internal::program_at(in_one_line(text), most_threads, wrong_at);
  if (!program.ok()) return wrong(wrong_at, std::string(program.status().message()));
  const auto acts = [](const std::vector<Act>& thread) { return !thread.empty(); };
  if (std::none_of(program->threads.begin(), program->threads.end(), acts)) {
    return wrong(0, "no acts; say what the threads do, as L0 U | L0 U");
  }
  return program;
}

}  // namespace lockbench::stress
