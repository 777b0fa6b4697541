// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/case_source.h"

#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/base/printable.h"
#include "harness/bench/command/advise/case_answer.h"
#include "harness/cli/flags.h"
#include "harness/process/child_process.h"
#include "harness/process/command_programs.h"

namespace lockbench {
namespace {

constexpr std::chrono::minutes kMostTime{1};

using GivenFlags = std::map<std::string, std::string>;

absl::StatusOr<CaseAnswer> ask(const std::filesystem::path& program, const std::string& command,
                               const GivenFlags& given) {
  std::vector<std::string> words{"lockbench", command};
  for (const auto& [flag, value] : given) words.insert(words.end(), {flag, value});
  const absl::StatusOr<ChildResult> said =
      run_child({.program = program,
                 .words = words,
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + kMostTime});
  if (!said.ok()) return said.status();
  if (said->ending == ChildEnding::kInterrupted) return absl::CancelledError("interrupted");
  if (said->ending == ChildEnding::kEnded && said->status == 0) {
    return case_answer_from_json(said->out);
  }
  if (const auto complaint = complaint_of(*said, "lockbench " + command + ": ")) {
    return absl::InvalidArgumentError(*complaint);
  }
  return absl::UnavailableError(end_text(program.filename().string(), *said));
}

absl::Status take(const absl::StatusOr<CaseAnswer>& answer, AdviceCase& wanted, std::ostream& out) {
  if (!answer.ok()) return answer.status();
  out << "The load at " << printable(answer->title) << '\n';
  for (const std::string& difference : answer->differences) {
    out << "lockbench advise: " << difference << '\n';
  }
  AdviceCase taken = case_of(*answer);
  taken.memory_bytes = wanted.memory_bytes;
  taken.fair = wanted.fair;
  run_on(wanted.cores, taken);
  taken.when = wanted.when;
  taken.beats = wanted.beats;
  wanted = std::move(taken);
  return absl::OkStatus();
}

CaseSource source_of(const CommandProgram& program, const nlohmann::json& described) {
  const auto given = std::make_shared<GivenFlags>();
  const std::string flag = described.value("flag", "");
  return {
      .flag = flag,
      .add_flags = [given, flags = described.value("flags", nlohmann::json::array())](
                       CLI::App& advise) { add_described_flags(advise, flags, *given); },
      .given = [given, flag] { return given->contains(flag); },
      .idle = [given, idle = described.value("idle", "")] { return given->empty() ? "" : idle; },
      .take = [given, file = program.file, command = described.value("command", "")](
                  AdviceCase& wanted,
                  std::ostream& out) { return take(ask(file, command, *given), wanted, out); }};
}

}  // namespace

CaseSource source_of_programs() {
  for (const Addition& addition : additions_to("advise")) {
    if (addition.what.contains("cases")) {
      return source_of(*addition.program, addition.what["cases"]);
    }
  }
  return {};
}

}  // namespace lockbench
