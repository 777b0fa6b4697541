#include "harness/command/stress_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <absl/strings/str_format.h>

#include "harness/command/child_process.h"
#include "harness/command/progress.h"
#include "harness/command/resources.h"
#include "harness/command/signals.h"
#include "harness/command/stress_text.h"
#include "harness/record/build.h"
#include "harness/record/machine.h"

namespace lockbench {
namespace {

using stress::Report;
using stress::Verdict;
using Clock = std::chrono::steady_clock;

enum ExitCode {
  kClean = 0,
  kUsage = 1,
  kConvicted = 2,
  kFailed = 3,
  kInconclusive = 4,
  kUnfair = 5
};

// How much longer than its budget an engine may take before it is taken to hang: it makes what it
// found smaller, and replays it.
constexpr std::chrono::seconds kGrace{60};

constexpr const char* kEngines[] = {"sim", "real", "proc"};

// Beside this program where it was built, in libexec where it was installed.
std::optional<std::filesystem::path> find_engine(const std::string& program) {
  const std::filesystem::path here = this_program().parent_path();
  for (const auto& folder : {here, here.parent_path() / "libexec" / "lockbench"}) {
    if (access((folder / program).c_str(), X_OK) == 0) return folder / program;
  }
  return std::nullopt;
}

std::vector<EngineListing> engines_named(const std::string& suffix) {
  std::vector<EngineListing> found;
  for (const char* engine : kEngines) {
    const auto program = find_engine(std::string("lockbench-") + engine + suffix);
    if (!program) continue;
    const absl::StatusOr<ChildResult> listing =
        run_child({.program = *program,
                   .words = {program->string(), "list"},
                   .deadline = Clock::now() + std::chrono::seconds(10)});
    if (!listing.ok() || listing->status != 0) continue;
    found.push_back({engine, program->string(), listed_from(listing->out)});
  }
  return found;
}

std::string machine_line() {
  const Machine machine = read_machine();
  const Build build = this_build();
  return absl::StrFormat("on %s, %d hardware threads; %s, %s, commit %s",
                         machine.cpu_model.value_or("an unknown processor"),
                         machine.usable_threads.value_or(0), build.compiler, build.build_type,
                         build.commit.value_or("unknown"));
}

// One line on a terminal, drawn over and over; nothing elsewhere.
class LiveLine {
 public:
  LiveLine(std::size_t charges, std::size_t& findings) : charges_(charges), findings_(findings) {}

  void show(const Charge& charge, std::size_t number, std::string_view out) {
    if (!terminal_) return;
    const std::size_t last = out.rfind("\n ");
    std::string said(last == std::string_view::npos ? std::string_view() : out.substr(last + 2));
    said = said.substr(0, said.find('\n'));
    std::cerr << absl::StrFormat("\r\x1b[K%d/%d  %s  %s  %s  %d findings", number + 1, charges_,
                                 charge.engine, charge.suspect.name, said, findings_)
              << std::flush;
  }

  void leave() {
    if (terminal_) std::cerr << "\r\x1b[K" << std::flush;
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  const std::size_t charges_;
  const std::size_t& findings_;
};

Report failed(const Charge& charge, const std::string& why) {
  return {.engine = charge.engine,
          .suspect = charge.suspect.name,
          .verdict = Verdict::kInconclusive,
          .remarks = {why}};
}

// A suspect that takes the engine's process with it is convicted by that.
Report died(const Charge& charge, const ChildResult& result) {
  Report report = failed(charge, "");
  report.remarks.clear();
  report.verdict = Verdict::kConvicted;
  report.finding =
      stress::Finding{stress::Oracle::kCrash, told_end("the engine's process", result)};
  report.how = "crash";
  report.replay.options = {"--engine", charge.engine};
  return report;
}

struct Answer {
  Report report;
  bool engine_failed = false;
  bool interrupted = false;
  std::string misused = {};  // what was wrong with the order, in the engine's words
};

Answer ask(const Charge& charge, stress::Order order,
           const std::function<void(std::string_view)>& live) {
  order.suspect = charge.suspect.name;
  order.budget = charge.budget;
  const absl::StatusOr<ChildResult> result =
      run_child({.program = charge.program,
                 .words = {charge.program},
                 .input = to_json(order),
                 .deadline = Clock::now() + charge.budget + kGrace,
                 .while_it_runs = live});
  if (!result.ok()) {
    return {failed(charge, std::string(result.status().message())), true};
  }
  if (result->ending == ChildEnding::kInterrupted) return {{}, false, true};
  if (result->ending == ChildEnding::kTooLong) {
    return {failed(charge, "the engine did not end by itself and was killed"), true};
  }
  if (WIFSIGNALED(result->status)) return {died(charge, *result)};
  if (WEXITSTATUS(result->status) == kUsage) {
    std::string_view said = result->err;
    said.remove_prefix(std::min(said.size(), said.find(": ") + 2));
    return {.misused = std::string(said.substr(0, said.find('\n')))};
  }
  if (WEXITSTATUS(result->status) != 0) {
    return {failed(charge, told_end("the engine", *result)), true};
  }
  std::string text = result->out;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  absl::StatusOr<Report> report =
      stress::report_from_json(std::string_view(text).substr(text.rfind('\n') + 1));
  if (!report.ok()) return {failed(charge, std::string(report.status().message())), true};
  return {*std::move(report)};
}

int worst(int a, int b) {
  // From the gravest: convicted, engine failed, inconclusive, unfair, clean.
  constexpr int kGravity[] = {kConvicted, kFailed, kInconclusive, kUnfair, kClean};
  for (const int code : kGravity) {
    if (a == code || b == code) return code;
  }
  return a;
}

int code_of(const Answer& answer) {
  if (answer.engine_failed) return kFailed;
  switch (answer.report.verdict) {
    case Verdict::kClean:
      return kClean;
    case Verdict::kConvicted:
      return kConvicted;
    case Verdict::kInconclusive:
      return kInconclusive;
    case Verdict::kFairness:
      break;
  }
  return kUnfair;
}

int complain(const absl::Status& status) {
  std::cerr << "lockbench stress: " << std::string(status.message()) << "\n";
  return kUsage;
}

int investigate(const StressOptions& options, const std::vector<Charge>& charges) {
  const std::string machine = machine_line();
  int code = kClean;
  std::size_t findings = 0;
  LiveLine live(charges.size(), findings);
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const Answer answer = ask(charges[i], options.order,
                              [&](std::string_view out) { live.show(charges[i], i, out); });
    live.leave();
    if (answer.interrupted) return 128 + noted_signal();
    if (!answer.misused.empty()) return complain(absl::InvalidArgumentError(answer.misused));
    findings += answer.report.finding.has_value();
    code = worst(code, code_of(answer));
    std::cout << (options.json ? to_json(answer.report) + "\n"
                               : stress_text(answer.report, machine))
              << std::flush;
  }
  return code;
}

int self_test(const StressOptions& options, const std::vector<Charge>& charges) {
  std::vector<KillEntry> entries;
  std::size_t failures = 0;
  LiveLine live(charges.size(), failures);
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const Answer answer = ask(charges[i], options.order,
                              [&](std::string_view out) { live.show(charges[i], i, out); });
    live.leave();
    if (answer.interrupted) return 128 + noted_signal();
    if (!answer.misused.empty()) return complain(absl::InvalidArgumentError(answer.misused));
    const Kill kill =
        answer.engine_failed ? Kill::kFailed : judge_kill(charges[i].suspect, answer.report);
    failures += !passes(kill);
    std::cout << (options.json ? to_json(answer.report) + "\n"
                               : kill_line(charges[i], answer.report, kill))
              << std::flush;
    entries.push_back({charges[i], answer.report, kill});
  }
  if (!options.json) std::cout << kill_summary(entries);
  return failures == 0 ? kClean : kConvicted;
}

// The names, which engines know each, and what it is.
int print_listing(const std::vector<EngineListing>& engines) {
  std::map<std::string, std::pair<std::string, std::string>> by_name;
  for (const EngineListing& engine : engines) {
    for (const Listed& suspect : engine.suspects) {
      auto& [known_by, summary] = by_name[suspect.name];
      known_by += (known_by.empty() ? "" : ",") + engine.engine;
      summary = suspect.summary;
    }
  }
  for (const auto& [name, line] : by_name) {
    std::cout << absl::StrFormat("%-32s %-14s %s\n", name, line.first, line.second);
  }
  return kClean;
}

}  // namespace

int stress_command(const StressOptions& options) {
  note_signals();
  const std::vector<EngineListing> engines = engines_named(options.self_test ? "-mutants" : "");
  if (engines.empty()) {
    return complain(absl::NotFoundError(
        options.self_test ? "the broken locks lie beside no engine here; build the tests, too"
                          : "no engine lies beside this program; build or install it whole"));
  }
  if (options.list) return print_listing(engines);
  const absl::StatusOr<std::vector<Charge>> charges =
      options.self_test ? plan_self_test(options, engines) : plan_stress(options, engines);
  if (!charges.ok()) return complain(charges.status());
  return options.self_test ? self_test(options, *charges) : investigate(options, *charges);
}

}  // namespace lockbench
