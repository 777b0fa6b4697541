// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/observe_command.h"

#include <csignal>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/stamp.h"
#include "harness/kernel/processors.h"
#include "harness/observe/command/attach.h"
#include "harness/observe/command/command_names.h"
#include "harness/observe/command/prepared_program.h"
#include "harness/observe/command/program_flags.h"
#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/foreground_program.h"
#include "harness/observe/observation/observation.h"
#include "harness/observe/observation/observed_check.h"
#include "harness/observe/observation/observed_json.h"
#include "harness/observe/observation/observed_place.h"
#include "harness/observe/observation/observed_preset.h"
#include "harness/observe/observation/observed_run.h"
#include "harness/observe/observation/observed_text.h"
#include "harness/observe/observation/verdict.h"
#include "harness/observe/recorder/recording.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

static_assert(kMostCallers == observe::Place::kMostCallers);

namespace fs = std::filesystem;

double seconds(Nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// The first place with a preset, and its process; nullptr: there is none.
std::pair<const ObservedProcess*, const ObservedPlace*> first_place(const Observation& seen) {
  for (const ObservedProcess& process : seen.processes) {
    for (const ObservedPlace& place : process.places) {
      if (!place.is_futex()) return {&process, &place};
    }
  }
  return {nullptr, nullptr};
}

absl::Status write_results(const fs::path& folder, const Observation& observation,
                           const Verdict& verdict, const ObservationFacts& facts) {
  absl::Status status =
      replace_file(folder / "observed.json", observed_json(observation, verdict, facts));
  const auto [process, place] = first_place(observation);
  if (!status.ok() || place == nullptr) return status;
  return replace_file(folder / "observed.toml",
                      observed_preset(*place, *process, process->processor_s, facts.processors));
}

// The run that counts most of several: one in which what did the work was not seen, or else the one
// with the greatest gain.
bool is_worse(const Observation& one, const Observation& other, const std::string& program) {
  const auto rank = [&program](const Observation& seen) {
    const bool unseen = verdict_of(seen, program).kind == VerdictKind::kNotSeen;
    return std::pair(unseen, greatest_gain(seen));
  };
  return rank(one) > rank(other);
}

class ObserveCommand {
 public:
  ObserveCommand(const ObserveOptions& options, std::ostream& err) : options_(options), err_(err) {}

  int run() {
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of the write
    const absl::StatusOr<PreparedProgram> program =
        prepare_program("observed", options_.out, options_.command[0]);
    if (!program.ok()) {
      return complain(err_, kObserve, program.status(),
                      absl::IsInternal(program.status()) ? kCouldNotFinish : kBadInput);
    }
    folder_ = program->folder;
    if (!program->script.empty()) say(err_, kObserve, program->script);
    fill_facts(program->interpreter);
    return observe_all(program->preload);
  }

 private:
  void fill_facts(const std::string& interpreter) {
    facts_.interpreter = interpreter;
    facts_.command = options_.command;
    facts_.started_at = utc_now();
    facts_.delay_s = seconds(options_.delay);
    facts_.duration_s = seconds(options_.duration);
    facts_.places = options_.place;
    facts_.uncontended_ns = uncontended_cost_ns();
    facts_.processors = static_cast<double>(usable_processors());
  }

  // `preload`: the environment variable.
  int observe_all(const std::string& preload) {
    const ObservedRunOrder order{.command = options_.command,
                                 .preload = preload,
                                 .delay = options_.delay,
                                 .duration = options_.duration,
                                 .callers = options_.callers,
                                 .uncontended_ns = facts_.uncontended_ns,
                                 .processors = facts_.processors};
    std::optional<ObservedRun> worst;
    std::vector<double> gains;
    int code = 0;
    for (std::uint32_t i = 0; i < options_.repeat; ++i) {
      absl::StatusOr<ObservedRun> run = observe_run(order);
      if (!run.ok()) {
        return complain(err_, kObserve, run.status(),
                        absl::IsUnavailable(run.status()) ? kCouldNotFinish : kBadInput);
      }
      gains.push_back(greatest_gain(run->observation));
      const int run_code = exit_code_of(run->end.status);
      if (code == 0) code = run_code;
      if (!worst || is_worse(run->observation, worst->observation, options_.command[0])) {
        worst = *std::move(run);
      }
      if (run_code > kSignalExitBase) break;  // it was interrupted, or crashes
    }
    worst->observation.coverage.runs = static_cast<std::uint32_t>(gains.size());
    if (gains.size() > 1) worst->observation.gains = std::move(gains);
    const int reported = report(*worst);
    return reported != 0 ? reported : code;
  }

  int report(ObservedRun& run) {
    Observation& observation = run.observation;
    facts_.wall_s = run.end.wall_s;
    facts_.processor_s = run.end.processor_s;
    facts_.status = run.end.status;
    const Verdict verdict = verdict_of(observation, options_.command[0]);
    if (!options_.place.empty()) {
      const bool some = !observation.processes.empty();
      if (!keep_places(observation, *Expression::parse(options_.place)) && some) {
        complain(err_, kObserve,
                 "--place: no place matches '" + options_.place + "'; all are shown", 0);
      }
    }
    const absl::Status written = write_results(folder_, observation, verdict, facts_);
    if (!written.ok()) return complain(err_, kObserve, written, kCouldNotFinish);
    err_ << '\n'
         << observed_text(observation, verdict, table_width()) << "Observation "
         << printable((folder_ / "observed.json").string()) << '\n';
    if (first_place(observation).second == nullptr) return 0;
    const auto next = [this](const char* what, const std::vector<std::string>& words) {
      err_ << what << printable(shell_command(words)) << '\n';
    };
    if (verdict.kind == VerdictKind::kMayCost) next("worth       ", whatif_words());
    next("page        ", {"lockbench", "report", folder_.string()});
    next("reproduce   ", {"lockbench", "run", (folder_ / "observed.toml").string()});
    next("choose      ", {"lockbench", "advise", "--observed", folder_.string()});
    return 0;
  }

  std::vector<std::string> whatif_words() const {
    std::vector<std::string> words{"lockbench", "whatif", "--"};
    words.insert(words.end(), options_.command.begin(), options_.command.end());
    return words;
  }

  const ObserveOptions& options_;
  std::ostream& err_;
  fs::path folder_;
  ObservationFacts facts_;
};

// Observes the benchmark as the program was observed.
int check(const ObserveOptions& options, std::ostream& err) {
  const absl::StatusOr<RecordedPlace> program = recorded_place(*options.check, 1);
  if (!program.ok()) return complain(err, kObserve, program.status(), kBadInput);
  const std::string benchmark = shell_command(
      {main_program().string(), "run", (*options.check / "observed.toml").string(), "--primitive",
       primitive_like_the_program(load_of(*program)), "--blocks", "1", "--window", "1s",
       "--patience", "0", "--progress", "off", "--out", (*options.check / "preset-run").string()});
  std::error_code none;
  fs::remove_all(*options.check / "preset-run", none);
  fs::remove_all(*options.check / "preset", none);
  ObserveOptions inner{.command = {"sh", "-c", "exec " + benchmark + " >/dev/null"},
                       .out = *options.check / "preset"};
  std::ostringstream said;
  if (const int code = ObserveCommand(inner, said).run(); code != 0) {
    if (code > 128) return code;  // interrupted
    err << said.str();
    return complain(err, kObserve, "--check: the preset could not be measured: " + benchmark,
                    kCouldNotFinish);
  }
  const absl::StatusOr<RecordedPlace> preset = busiest_place(*inner.out);
  if (!preset.ok()) return complain(err, kObserve, preset.status(), kCouldNotFinish);
  const ObservedCheck checked = check_of(*program, *preset);
  err << printable(program->name) << '\n' << to_text(checked);
  return checked.agrees() ? 0 : kInconclusive;
}

}  // namespace

int observe_command(const ObserveOptions& options, std::ostream& err) {
  if (options.pid) return attach_command(options, err);
  return options.check ? check(options, err) : ObserveCommand(options, err).run();
}

}  // namespace lockbench
