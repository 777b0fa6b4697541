// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/whatif_command.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/personality.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/bench/record/stamp.h"
#include "harness/kernel/processors.h"
#include "harness/observe/command/changed_runs.h"
#include "harness/observe/command/command_names.h"
#include "harness/observe/command/prepared_program.h"
#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/figures_text.h"
#include "harness/observe/observation/foreground_program.h"
#include "harness/observe/observation/hold_change.h"
#include "harness/observe/observation/observed_json.h"
#include "harness/observe/observation/observed_run.h"
#include "harness/observe/observation/verdict.h"
#include "harness/process/analysis_command.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"
#include "workloads/work.h"

namespace lockbench {
namespace {

constexpr char kScript[] = "harness/observe/python/whatif.py";
constexpr int kSchemaVersion = 2;
constexpr std::uint32_t kFewestBlocks = 6;
constexpr std::uint32_t kFewestToTell = 3;  // with fewer, no interval is known
// The exit code of whatif.py with --is-known if more blocks are needed.
constexpr int kNotKnown = kInconclusive;

constexpr std::chrono::milliseconds kSignalsComeTwiceWithin{300};  // as note_signals() has it

namespace fs = std::filesystem;

// While it exists, what this process and its children print to standard output is not shown.
class NoOutput {
 public:
  NoOutput() : usual_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (usual_ >= 0 && nothing >= 0) dup2(nothing, STDOUT_FILENO);
    if (nothing >= 0) close(nothing);
  }
  ~NoOutput() {
    if (usual_ < 0) return;
    dup2(usual_, STDOUT_FILENO);
    close(usual_);
  }
  NoOutput(const NoOutput&) = delete;
  NoOutput& operator=(const NoOutput&) = delete;

 private:
  int usual_;
};

class WhatIf {
 public:
  WhatIf(const WhatIfOptions& options, std::ostream& err) : options_(options), err_(err) {}

  int run() {
    const absl::StatusOr<PreparedProgram> program =
        prepare_program("whatif", options_.out, options_.command[0]);
    if (!program.ok()) {
      return complain(err_, kWhatIf, program.status(),
                      absl::IsInternal(program.status()) ? kCouldNotFinish : kBadInput);
    }
    preload_ = program->preload;
    folder_ = program->folder;
    if (!program->script.empty()) say(err_, kWhatIf, program->script);
    facts_.interpreter = program->interpreter;
    make_runs_alike();
    const int code = observe();
    std::error_code none;
    fs::remove(folder_, none);  // it stays if there is something in it
    return code;
  }

 private:
  // Each run has the same input, none; and where the kernel permits it, the same addresses, by
  // which locks are found again.
  static void make_runs_alike() {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    const int now = personality(0xffffffff);
    if (now != -1) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
  }

  int observe() {
    say(err_, kWhatIf, "runs the program once to see its locks");
    facts_.command = options_.command;
    facts_.started_at = utc_now();
    facts_.uncontended_ns = uncontended_cost_ns();
    facts_.processors = static_cast<double>(usable_processors());
    absl::StatusOr<ObservedRun> run = [this] {
      const NoOutput quiet;
      return observe_run({.command = options_.command,
                          .preload = preload_,
                          .time_limit = options_.time_limit,
                          .uncontended_ns = facts_.uncontended_ns,
                          .processors = facts_.processors});
    }();
    if (absl::IsDeadlineExceeded(run.status())) {
      return complain(err_, kWhatIf, options_.command[0] + " did not end within --time-limit",
                      kCouldNotFinish);
    }
    if (!run.ok()) return complain(err_, kWhatIf, run.status(), kBadInput);
    if (const int code = exit_code_of(run->end.status); code != 0) {
      complain(err_, kWhatIf,
               absl::StrCat("the program ended with ", run->observation.coverage.end,
                            "; what its locks are worth is known only of runs that succeed"),
               0);
      return code > kSignalExitBase ? code : kCouldNotFinish;
    }
    facts_.wall_s = run->end.wall_s;
    facts_.processor_s = run->end.processor_s;
    facts_.status = run->end.status;
    observation_ = std::move(run->observation);
    verdict_ = verdict_of(observation_, options_.command[0]);
    const absl::Status written =
        replace_file(folder_ / "observed.json", observed_json(observation_, verdict_, facts_));
    if (!written.ok()) return complain(err_, kWhatIf, written, kCouldNotFinish);
    return choose();
  }

  int choose() {
    std::optional<Expression> wanted;
    if (!options_.place.empty()) wanted = *Expression::parse(options_.place);
    const auto places =
        places_to_measure(observation_, options_.places, wanted ? &*wanted : nullptr);
    if (places.empty() && wanted && !some_place_is(*wanted)) {
      return complain(err_, kWhatIf,
                      "--place: no place matches '" + options_.place +
                          "'; these have the longest waits: " + names_of_places(),
                      kBadInput);
    }
    if (places.empty()) return say_that_nothing_is_measured();
    const SpinPace pace = SpinPace::measure();
    const Treatment treatment{.percent = options_.longer_percent,
                              .is_of_time = options_.metric.text == "wall"};
    for (const PlaceToMeasure& at : places) {
      treated_.push_back(treated_place(observation_, at, treatment, pace));
    }
    return measure();
  }

  bool some_place_is(const Expression& wanted) const {
    return std::any_of(observation_.processes.begin(), observation_.processes.end(),
                       [&](const ObservedProcess& process) {
                         return std::any_of(process.places.begin(), process.places.end(),
                                            [&](const ObservedPlace& place) {
                                              return wanted.finds_in(place.name());
                                            });
                       });
  }

  std::string names_of_places() const {
    constexpr std::size_t kMostNamed = 8;
    std::vector<std::string> names;
    for (const ObservedProcess& process : observation_.processes) {
      for (const ObservedPlace& place : process.places) {
        if (names.size() < kMostNamed) names.push_back(place.name());
      }
    }
    return names.empty() ? "none, since no lock was acquired" : absl::StrJoin(names, "; ");
  }

  int say_that_nothing_is_measured() {
    err_ << (options_.place.empty() ? "no place" : "no place that --place finds")
         << " whose holds are known has holds of " << percent(kWorthMeasuringFrom) << " of the "
         << duration_text(observation_.coverage.window_s * 1e9)
         << " together and can gain as much if they are a fifth shorter, so none was changed\n";
    for (const ObservedProcess& process : observation_.processes) {
      for (const ObservedPlace& place : process.places) {
        if (has_holds(place) || place.greatest_gain < kProblemFrom) continue;
        err_ << "  " << printable(place.name())
             << ": its holds are not known; lockbench compare-program tries other locks\n";
      }
    }
    err_ << verdict_.answer << '\n';
    for (const std::string& note : verdict_.notes) err_ << "  " << note << '\n';
    err_ << "observation " << printable((folder_ / "observed.json").string()) << '\n';
    return verdict_.kind == VerdictKind::kNotSeen ? kCouldNotFinish : 0;
  }

  // `holds_kept`: ChangedRuns::holds_kept_when_longer().
  std::string facts_json(double holds_kept) const {
    nlohmann::ordered_json json;
    json["schema_version"] = kSchemaVersion;
    json["holds_kept_when_longer"] = holds_kept;
    json["places"] = nlohmann::ordered_json::array();
    for (const TreatedPlace& one : treated_) {
      json["places"].push_back({{"name", printable(one.place->name())},
                                {"process", one.at.process},
                                {"place", one.at.place},
                                {"acquisitions", one.at.acquisitions},
                                {"holds_s", one.at.holds_s},
                                {"blocked_s", one.at.blocked_s},
                                {"most_gain_s", one.at.most_gain_s},
                                {"change_ns", one.change_ns},
                                {"looks_shorter", looks_shorter(one)}});
    }
    return json.dump(1) + "\n";
  }

  int measure() {
    // Before the runs: what is missing is said at once, and after a signal it is too late to look.
    absl::StatusOr<std::vector<std::string>> words = analysis_words(kScript, {});
    if (!words.ok()) return complain(err_, kWhatIf, words.status(), kCouldNotFinish);
    analysis_ = *std::move(words);
    note_signals();
    say(err_, kWhatIf,
        absl::StrCat("a block is ", treated_.size() + 1, " runs of the program, about ",
                     duration_text(facts_.wall_s * 1e9 * double(treated_.size() + 1)),
                     ": one as it is, and one for each place, ",
                     changes_text(treated_, options_.longer_percent), "; ",
                     std::min(kFewestBlocks, options_.blocks), " to ", options_.blocks,
                     " blocks, until it is known what they are worth; Ctrl-C ends it before that, "
                     "with what is known"));
    if (some_look_shorter(treated_)) {
      say(err_, kWhatIf, "two runs before tell whether the program runs for a given time");
    }
    const ChangedRuns runs({.command = options_.command,
                            .environment = {preload_},
                            .time_limit = options_.time_limit,
                            .metric = options_.metric,
                            .who = options_.command[0]},
                           treated_);
    absl::StatusOr<AppendFile> rows = AppendFile::create(folder_ / "whatif.csv");
    absl::Status status = rows.status();
    if (status.ok()) status = write_facts(runs);
    if (status.ok()) {
      status = rows->append(absl::StrCat("block,variant,", runs.columns(), "\n"));
    }
    std::uint32_t done = 0;
    while (status.ok() && done < options_.blocks && noted_signal() == 0) {
      status = measure_block(runs, *rows, done);
      if (!status.ok()) break;
      ++done;
      if (done == options_.blocks || !internal::asks_after(done)) continue;
      const absl::StatusOr<int> known = ask({"--is-known"});
      if (!known.ok()) status = known.status();
      if (known.ok() && *known != kNotKnown) break;
      say(err_, kWhatIf, absl::StrCat("not yet known after ", done, " blocks"));
    }
    if (noted_signal() != 0) return interrupted(done);
    if (!status.ok()) {
      const int code = complain(err_, kWhatIf, status,
                                absl::IsInvalidArgument(status) ? kBadInput : kCouldNotFinish);
      return end_with(code, done);
    }
    const absl::StatusOr<int> code = ask({});
    if (code.ok()) return *code;
    return complain(err_, kWhatIf, code.status(), kCouldNotFinish);
  }

  // Where holds look shorter, a program that runs for a given time must be found beforehand.
  absl::Status write_facts(const ChangedRuns& runs) const {
    double holds_kept = 1;
    if (some_look_shorter(treated_)) {
      const absl::StatusOr<double> kept = runs.holds_kept_when_longer();
      if (!kept.ok()) return kept.status();
      holds_kept = *kept;
    }
    return replace_file(folder_ / "whatif.json", facts_json(holds_kept));
  }

  // Writes a row for each variant.
  static absl::Status measure_block(const ChangedRuns& runs, AppendFile& rows,
                                    std::uint32_t block) {
    for (const std::size_t variant : internal::order_in_block(runs.variants(), block)) {
      const absl::StatusOr<std::string> fields = runs.run(variant);
      if (!fields.ok()) return fields.status();
      const absl::Status written =
          rows.append(absl::StrCat(block, ",", variant, ",", *fields, "\n"));
      if (!written.ok()) return written;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int> ask(const std::vector<std::string>& flags) const {
    return run_analysis(kScript, words_for(flags));
  }

  std::vector<std::string> words_for(const std::vector<std::string>& flags) const {
    std::vector<std::string> words{folder_.string()};
    for (std::string& word : options_.metric.words()) words.push_back(std::move(word));
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  }

  int interrupted(std::uint32_t blocks) const {
    // A terminal's Ctrl-C may come twice, to the group and by a program such as timeout: the second
    // one would end the analysis.
    std::this_thread::sleep_for(kSignalsComeTwiceWithin);
    const int code = kSignalExitBase + noted_signal();
    const std::string rows =
        blocks == 0 ? std::string() : "; the rows are in " + (folder_ / "whatif.csv").string();
    complain(err_, kWhatIf,
             absl::StrCat("interrupted after ", blocks, blocks == 1 ? " block" : " blocks", rows),
             code);
    return end_with(code, blocks);
  }

  // Says what is known so far. After a signal no child is started: the analysis takes the place of
  // this process.
  int end_with(int code, std::uint32_t blocks) const {
    if (blocks < kFewestToTell) return code;
    std::vector<std::string> words = analysis_;
    for (std::string& word : words_for({"--exit-code", absl::StrCat(code)})) {
      words.push_back(std::move(word));
    }
    return become_analysis(std::move(words), kWhatIf);
  }

  const WhatIfOptions& options_;
  std::ostream& err_;
  fs::path folder_;
  std::string preload_;
  ObservationFacts facts_;
  Observation observation_;
  Verdict verdict_;
  std::vector<TreatedPlace> treated_;
  std::vector<std::string> analysis_;  // its interpreter and script
};

}  // namespace

bool internal::asks_after(std::uint32_t blocks) {
  std::uint32_t next = kFewestBlocks;
  while (next < blocks) next += std::max<std::uint32_t>(2, next / 4);
  return next == blocks;
}

int whatif_command(const WhatIfOptions& options, std::ostream& err) {
  return WhatIf(options, err).run();
}

}  // namespace lockbench
