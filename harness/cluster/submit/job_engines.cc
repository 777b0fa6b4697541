// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/submit/job_engines.h"

#include <sys/wait.h>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/files.h"
#include "harness/base/quantity.h"
#include "harness/process/child_process.h"

namespace lockbench {

absl::StatusOr<std::string> output_of(const std::vector<std::string>& words,
                                      std::chrono::seconds within, std::string input) {
  absl::StatusOr<ChildResult> result =
      run_child({.program = words[0],
                 .words = words,
                 .input = std::move(input),
                 .deadline = std::chrono::steady_clock::now() + within});
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kTooLong) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s did not end within %d s", words[0], within.count()));
  }
  if (result->ending == ChildEnding::kEnded && WIFEXITED(result->status) &&
      WEXITSTATUS(result->status) == 0) {
    return std::move(result->out);
  }
  return absl::FailedPreconditionError(end_text(words[0], *result));
}

absl::Status check_for_parallel(std::string_view otherwise) {
  const absl::StatusOr<std::string> version = output_of({"parallel", "--version"});
  if (version.ok() && version->find("GNU parallel") != std::string::npos) return absl::OkStatus();
  return absl::NotFoundError(absl::StrFormat(
      "GNU parallel is missing (another program may have its name); %s", otherwise));
}

absl::StatusOr<std::vector<std::string>> hosts_in(const std::filesystem::path& file) {
  const absl::StatusOr<std::string> text = read_file(file, kMostInputBytes);
  if (!text.ok()) return text.status();
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string> hosts;
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    hosts.emplace_back(line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin));
  }
  if (!hosts.empty()) return hosts;
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: names no host; write one a line", file.string()));
}

std::string srun_of_task(std::string_view processors) {
  return absl::StrFormat("srun --ntasks=1 --cpus-per-task=%s --cpu-bind=threads", processors);
}

}  // namespace lockbench
