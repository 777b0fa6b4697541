// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/preload/announcements.h"

#include <algorithm>
#include <map>

namespace lockbench {
namespace {

struct OfProcess {
  std::vector<std::string> programs;  // that it was, one after the other
  std::size_t begun = 0;              // of them
};

struct Line {
  std::string_view what;
  std::string_view process;
  std::string_view program;
};

Line read_line(std::string_view text) {
  const std::size_t first = std::min(text.find(' '), text.size());
  const std::size_t second = std::min(text.find(' ', first + 1), text.size());
  return {.what = text.substr(0, first),
          .process = text.substr(std::min(first + 1, second), second - std::min(first + 1, second)),
          .program = text.substr(std::min(second + 1, text.size()))};
}

}  // namespace

std::vector<std::string> programs_without_library(std::string_view announcements,
                                                  const std::string& first) {
  if (announcements.empty()) return {first};
  bool is_first = true;
  std::map<std::string, OfProcess, std::less<>> processes;
  while (!announcements.empty()) {
    const std::size_t end = std::min(announcements.find('\n'), announcements.size());
    const Line line = read_line(announcements.substr(0, end));
    announcements.remove_prefix(std::min(end + 1, announcements.size()));
    OfProcess& process = processes[std::string(line.process)];
    if (line.what == kStarts) {
      process.programs.emplace_back(line.program);
    } else if (line.what == kFailed) {
      if (!process.programs.empty()) process.programs.pop_back();
    } else if (line.what == kBegun) {
      // Nobody announced the first one, and no other begins before it.
      if (is_first) process.programs.insert(process.programs.begin(), first);
      is_first = false;
      ++process.begun;
    }
  }
  std::vector<std::string> without;
  for (const auto& [number, process] : processes) {
    if (process.begun >= process.programs.size()) continue;
    // A program without the library announces no other one, so it is the last.
    const std::string& program = process.programs.back();
    const bool known = std::find(without.begin(), without.end(), program) != without.end();
    if (!known) without.push_back(program);
  }
  return without;
}

}  // namespace lockbench
