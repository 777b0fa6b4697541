// SPDX-License-Identifier: Apache-2.0

#include "harness/process/analysis_command.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/plan/printable.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

absl::Status cannot_start(const std::string& program, int error) {
  return absl::UnavailableError("cannot start " + program + ": " + std::strerror(error));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> analysis_words(const std::string& name,
                                                        const std::vector<std::string>& arguments) {
  const absl::StatusOr<std::filesystem::path> script = find_resource("scripts/" + name + ".py");
  if (!script.ok()) return script.status();
  const absl::StatusOr<std::filesystem::path> python = find_python(kAnalysisModules);
  if (!python.ok()) return python.status();
  if (noted_signal() != 0) return absl::CancelledError("interrupted");
  std::vector<std::string> words{python->string(), script->string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

int analysis_command(const std::string& name, const std::vector<std::string>& arguments) {
  const auto complain = [&name](const absl::Status& status) {
    std::cerr << "lockbench " << name << ": " << printable(std::string(status.message())) << '\n';
    return kBadInput;
  };
  absl::StatusOr<std::vector<std::string>> words = analysis_words(name, arguments);
  if (!words.ok()) return complain(words.status());
  execvp(words->front().c_str(), pointers_to(*words).data());
  return complain(cannot_start(words->front(), errno));
}

absl::StatusOr<int> run_analysis(const std::string& name,
                                 const std::vector<std::string>& arguments) {
  absl::StatusOr<std::vector<std::string>> words = analysis_words(name, arguments);
  if (!words.ok()) return words.status();
  std::cout.flush();
  pid_t child = 0;
  const int error = posix_spawnp(&child, words->front().c_str(), nullptr, nullptr,
                                 pointers_to(*words).data(), environ);
  if (error != 0) return cannot_start(words->front(), error);
  int status = 0;
  while (waitpid(child, &status, 0) == -1) {
    if (errno != EINTR) return cannot_start(words->front(), errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalExitBase + WTERMSIG(status);
}

}  // namespace lockbench
