// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/engines.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/process/child_process.h"
#include "harness/process/resources.h"
#include "harness/stress/command/verdict.h"

namespace lockbench {
namespace {

using stress::Report;
using stress::Verdict;
using Clock = std::chrono::steady_clock;

// How much longer than its budget an engine may run before it is treated as hanging. It needs this
// time to shrink a failing program and to replay it.
constexpr std::chrono::seconds kGrace{60};

std::vector<std::string> engine_words(const std::string& program, const std::string& plugin) {
  if (plugin.empty()) return {program};
  return {program, "--plugin", plugin};
}

// The first line of an engine's message on standard error, without the engine's name.
std::string without_program(std::string_view said) {
  said.remove_prefix(std::min(said.size(), said.find(": ") + 2));
  return printable(said.substr(0, said.find('\n')));
}

// Adds the locks that the engine lists: the locks of `plugin`, or the engine's own.
absl::Status add_engine(const std::string& engine, const std::string& program,
                        const std::string& plugin, std::vector<EngineListing>& found) {
  std::vector<std::string> words = engine_words(program, plugin);
  words.push_back("list");
  const absl::StatusOr<ChildResult> listing =
      run_child({.program = program,
                 .words = std::move(words),
                 .input = {},
                 .deadline = Clock::now() + std::chrono::seconds(10)});
  if (!listing.ok()) return listing.status();
  if (listing->status != 0) return absl::InvalidArgumentError(without_program(listing->err));
  std::vector<Listed> locks = listed_from(listing->out);
  // A plug-in need not have locks for each engine.
  if (!locks.empty()) found.push_back({engine, program, std::move(locks), plugin});
  return absl::OkStatus();
}

bool is_among(const std::string& engine, const std::vector<std::string>& names) {
  return names.empty() || absl::c_linear_search(names, engine);
}

Report failed(const TestJob& job, const std::string& why) {
  return {.engine = job.engine,
          .lock = job.lock.name,
          .verdict = Verdict::kInconclusive,
          .remarks = {why}};
}

// If the process of the engine dies, the lock has failed.
Report died(const TestJob& job, const ChildResult& result) {
  Report report = failed(job, "");
  report.remarks.clear();
  report.verdict = Verdict::kFailed;
  report.failure =
      stress::Failure{stress::Oracle::kCrash, end_text("the engine's process", result)};
  report.how = "crash";
  report.replay.options = {"--engine", job.engine};
  return report;
}

}  // namespace

std::vector<EngineListing> engines_named(const std::string& suffix,
                                         const std::vector<std::string>& names) {
  std::vector<EngineListing> found;
  for (const char* engine : kEngines) {
    if (!is_among(engine, names)) continue;
    const auto program = find_engine(std::string("lockbench-") + engine + suffix);
    // An engine that cannot list its locks is left out.
    if (program) add_engine(engine, program->string(), "", found).IgnoreError();
  }
  return found;
}

absl::Status add_plugin_engines(const std::filesystem::path& plugin, bool must_simulate,
                                const std::vector<AddedEngine>& added,
                                const std::vector<std::string>& names,
                                std::vector<EngineListing>& found) {
  std::vector<std::pair<std::string, std::string>> engines = {{"real", "lockbench-real"},
                                                              {"proc", "lockbench-proc"}};
  for (const AddedEngine& engine : added) engines.emplace_back(engine.name, engine.program);
  for (const auto& [name, file] : engines) {
    if (!is_among(name, names)) continue;
    const auto program = find_engine(file);
    if (program) add_engine(name, program->string(), plugin.string(), found).IgnoreError();
  }
  if (!is_among("sim", names)) return absl::OkStatus();
  std::filesystem::path simulated = plugin;
  simulated.replace_extension(".sim.so");
  const auto sim = find_engine("lockbench-sim");
  if (!sim) return absl::OkStatus();
  if (access(simulated.c_str(), R_OK) == 0) {
    return add_engine("sim", sim->string(), simulated.string(), found);
  }
  if (!must_simulate) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("plug-in ", plugin.string(),
                   ": compiled without instrumentation, which the engine `sim` "
                   "needs: there is no ",
                   simulated.string(),
                   "; build it with "
                   "lockbench_add_simulated_plugin(), or with lockbench_add_plugin(… SIMULATE)"));
}

void name_plugin(const TestJob& job, Report& report) {
  if (job.plugin.empty()) return;
  std::filesystem::path file = job.plugin;
  if (file.stem().extension() == ".sim") file = file.replace_extension().replace_extension(".so");
  report.replay.options.insert(report.replay.options.end(), {"--plugin", file.string()});
}

void replay_from_file(const StressOptions& options, Report& report) {
  if (!options.program_file) return;
  std::vector<std::string>& words = report.replay.options;
  const auto flag = std::find(words.begin(), words.end(), "--program");
  if (flag == words.end() || std::next(flag) == words.end()) return;
  if (*std::next(flag) != options.order.program) return;
  *flag = "--program-file";
  *std::next(flag) = options.program_file->string();
}

std::string_view last_progress(std::string_view out) {
  // Progress lines begin with a space; the last one may be incomplete.
  out = out.substr(0, out.rfind('\n') + 1);
  const std::size_t last = out.rfind("\n ");
  if (last != std::string_view::npos) out.remove_prefix(last + 1);
  if (!out.starts_with(' ')) return {};
  return out.substr(1, out.find('\n') - 1);
}

Answer ask(const TestJob& job, stress::Order order,
           const std::function<void(std::string_view)>& live) {
  order.lock = job.lock.name;
  order.budget = job.budget;
  const absl::StatusOr<ChildResult> result =
      run_child({.program = job.program,
                 .words = engine_words(job.program, job.plugin),
                 .input = to_json(order),
                 .deadline = Clock::now() + job.budget + kGrace,
                 .while_it_runs = live});
  if (!result.ok()) {
    return {failed(job, std::string(result.status().message())), true};
  }
  if (result->ending == ChildEnding::kInterrupted) {
    return {.interrupted = true, .progress = std::string(last_progress(result->out))};
  }
  if (result->ending == ChildEnding::kTooLong) {
    return {failed(job, "the engine did not end by itself and was killed"), true};
  }
  if (result->ending == ChildEnding::kTooMuch) {
    return {failed(job, end_text("the engine", *result)), true};
  }
  if (WIFSIGNALED(result->status)) return {died(job, *result)};
  if (WEXITSTATUS(result->status) == kBadInput) {
    return {.misused = without_program(result->err)};
  }
  if (WEXITSTATUS(result->status) != 0) {
    return {failed(job, end_text("the engine", *result)), true};
  }
  std::string text = result->out;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  absl::StatusOr<Report> report =
      stress::report_from_json(std::string_view(text).substr(text.rfind('\n') + 1));
  if (!report.ok()) return {failed(job, std::string(report.status().message())), true};
  return {*std::move(report)};
}

}  // namespace lockbench
