// SPDX-License-Identifier: Apache-2.0

#include "harness/process/analysis_command.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/process/child_process.h"
#include "harness/process/pipe.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

std::filesystem::path script_path(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos;
  return is_path ? name : "scripts/commands/" + name + ".py";
}

absl::Status cannot_start(const std::string& program, int error) {
  return absl::UnavailableError("cannot start " + program + ": " + std::strerror(error));
}

}  // namespace

namespace internal {

std::vector<std::string> modules_needed(std::string_view script) {
  constexpr std::string_view kCall = "\nmodules.need(";
  std::vector<std::string> words;
  const std::size_t call = script.find(kCall);
  if (call == std::string_view::npos) return words;
  script = script.substr(call, script.find(')', call) - call);
  for (std::size_t quote; (quote = script.find('"')) != std::string_view::npos;) {
    script.remove_prefix(quote + 1);
    words.emplace_back(script.substr(0, script.find('"')));
    script.remove_prefix(std::min(words.back().size() + 1, script.size()));
  }
  if (!words.empty()) words.erase(words.begin());  // the name of the script
  return words;
}

}  // namespace internal

absl::StatusOr<std::vector<std::string>> analysis_words(const std::string& name,
                                                        const std::vector<std::string>& arguments) {
  const absl::StatusOr<std::filesystem::path> script = find_resource(script_path(name));
  if (!script.ok()) return script.status();
  const absl::StatusOr<std::string> text = read_file(*script, kMostInputBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::filesystem::path> python = find_python(internal::modules_needed(*text));
  if (!python.ok()) return python.status();
  if (noted_signal() != 0) return absl::CancelledError("interrupted");
  std::vector<std::string> words{python->string(), script->string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

int analysis_command(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string who = "lockbench " + name;
  absl::StatusOr<std::vector<std::string>> words = analysis_words(name, arguments);
  if (!words.ok()) return complain(std::cerr, who, words.status());
  return become_analysis(*std::move(words), who);
}

int become_analysis(std::vector<std::string> words, std::string_view who) {
  execvp(words.front().c_str(), pointers_to(words).data());
  return complain(std::cerr, who, cannot_start(words.front(), errno));
}

absl::StatusOr<int> run_analysis(const std::string& name, const std::vector<std::string>& arguments,
                                 std::chrono::steady_clock::duration at_most) {
  const absl::StatusOr<std::vector<std::string>> words = analysis_words(name, arguments);
  if (absl::IsCancelled(words.status())) return kSignalExitBase + noted_signal();
  if (!words.ok()) return words.status();
  std::cout.flush();
  const absl::StatusOr<ChildResult> result =
      run_child({.program = words->front(),
                 .words = *words,
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + at_most,
                 .streams = ChildStreams::kShared});
  if (!result.ok()) return result.status();
  if (noted_signal() != 0) return kSignalExitBase + noted_signal();
  if (result->ending == ChildEnding::kTooLong) {
    return absl::DeadlineExceededError(
        absl::StrFormat("%s was killed: it took longer than %d s", (*words)[1],
                        std::chrono::duration_cast<std::chrono::seconds>(at_most).count()));
  }
  if (!WIFEXITED(result->status)) return absl::UnavailableError(end_text((*words)[1], *result));
  return WEXITSTATUS(result->status);
}

}  // namespace lockbench
