// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/session.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/child.h"
#include "harness/bench/measure/disturbance.h"
#include "harness/bench/measure/pinning.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/record/stamp.h"
#include "harness/kernel/processors.h"
#include "harness/process/analysis_command.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

// Medians of a machine with two processors: a process with one thread, and each thread more than
// there are processors.
constexpr double kProcessS = 0.010;
constexpr double kWaitingThreadS = 0.0015;

// Reading the rows of a long run takes some time; after this limit, the script is treated as
// hanging.
constexpr std::chrono::seconds kFollowerAnswersWithin{60};

// The files of the plug-ins that the plan's primitives come from. A user must name them again to
// resume a run: code is loaded only if the user names it, not because a results folder names it.
std::set<std::string> plugins_of(const Plan& plan) {
  std::set<std::string> files;
  for (const Trial& trial : plan.trials) {
    files.insert(Catalog::standard().plugin_of(trial.cell.primitive));
  }
  files.erase("");  // lockbench's own
  return files;
}

}  // namespace

Nanoseconds expected_ns(const Trial& trial) {
  const absl::StatusOr<CellTraits> traits = Catalog::standard().check(trial.cell);
  return expected_duration(trial.cell, traits.value_or(CellTraits{}));
}

double process_s(std::uint32_t threads, std::uint32_t processors) {
  return kProcessS + kWaitingThreadS * (threads > processors ? threads - processors : 0);
}

double expected_anywhere_s(const Trial& trial) {
  return std::chrono::duration<double>(expected_ns(trial)).count() + kProcessS;
}

double expected_s(const Trial& trial) {
  return std::chrono::duration<double>(expected_ns(trial)).count() +
         process_s(trial.cell.threads, usable_processors());
}

double expected_s(const std::vector<Trial>& trials) {
  double sum = 0;
  for (const Trial& trial : trials) sum += expected_s(trial);
  return sum;
}

FinishedSession finished_session(std::string folder, Plan plan, std::vector<Measurement> rows) {
  Tally tally = tally_of(plan, rows);
  return {.folder = std::move(folder),
          .plan = std::move(plan),
          .measurements = std::move(rows),
          .tally = std::move(tally)};
}

int finish_again(const FinishedSession& session, const SessionSettings& settings) {
  const std::size_t trials = session.tally.trials();
  std::cerr << "lockbench " << settings.command << ": nothing was left to " << settings.verb << ": "
            << (trials == 1 ? "its trial has its row"
                            : absl::StrCat("all ", trials, " trials have their row"))
            << '\n';
  return settings.finished(session);
}

Session::Session(RunWriter writer, const std::set<std::uint32_t>& done,
                 std::vector<Measurement> before, SessionSettings settings)
    : writer_(std::move(writer)),
      progress_(settings.progress),
      watch_(settings.patience, writer_.meta().surroundings.value_or(Surroundings{}),
             [this](const std::string& what) { say(what); }),
      measurements_(std::move(before)),
      settings_(std::move(settings)) {
  for (const Trial& trial : writer_.meta().plan.trials) {
    const bool wanted = !settings_.only || settings_.only->contains(trial.number);
    if (wanted && !done.contains(trial.number)) add_missing(trial);
  }
  state_.done = kept_ = done.size();
  state_.total = done.size() + missing_.size();
}

void Session::add_missing(const Trial& trial) {
  missing_.push_back(trial.number);
  state_.expected_total_s += expected_s(trial);
}

void Session::aim_for(const RunAim& aim) {
  aim_ = aim;
  state_.later_s = kUnknownS;
}

int Session::run() {
  if (missing_.empty()) return nothing_left();
  if (const absl::Status noted = note_surroundings(); !noted.ok()) return stopped(noted);
  if (aim_ && !aim_->precision) start_follower();
  for (;;) {
    // By index, because the plan may grow.
    for (const std::uint32_t number : std::exchange(missing_, {})) {
      if (noted_signal() != 0) return interrupted();
      const Trial trial = writer_.meta().plan.trials[number];
      const absl::Status measured = measure(trial);
      if (absl::IsCancelled(measured)) return interrupted();
      if (!measured.ok()) return stopped(measured);
    }
    const absl::StatusOr<bool> more = next_block();
    if (!more.ok()) return stopped(more.status());
    if (!*more) return finished();
  }
}

// Waits for a quiet machine, and records what was found.
absl::Status Session::note_surroundings() {
  if (settings_.compute) return absl::OkStatus();
  watch_.note_start();
  watch_.wait_for_quiet();
  return writer_.note(watch_.surroundings());
}

// Every attempt gets a row. The first attempt that was not disturbed ends the trial.
absl::Status Session::measure(const Trial& trial) {
  const auto begun = std::chrono::steady_clock::now();
  const Nanoseconds waited = watch_.waited();
  for (std::uint32_t number = 0; number < kMostAttempts; ++number) {
    const absl::StatusOr<Row> row = attempt(trial, number);
    if (!row.ok()) return row.status();
    if (absl::Status status = writer_.append(*row); !status.ok()) return status;
    // Syncs here, because nothing is measured at this point.
    if (absl::Status status = writer_.sync_if_due(); !status.ok()) return status;
    measurements_.push_back(measurement_of(*row));
    if (number == 0) ++kept_;
    if (!row->sample.disturbance.empty() && number + 1 < kMostAttempts) {
      if (!row->sample.interference.empty()) watch_.wait_for_quiet();
      continue;
    }
    note_figure(trial, row->sample);
    break;
  }
  ++state_.done;
  state_.expected_done_s += expected_s(trial);
  // Waits for a quiet machine say nothing about the trials that are left.
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begun - (watch_.waited() - waited);
  state_.measured_s += taken.count();
  return absl::OkStatus();
}

absl::StatusOr<Row> Session::attempt(const Trial& trial, std::uint32_t number) {
  note_time_left();
  const std::string again = number == 0 ? ""
                                        : "disturbed, attempt " + std::to_string(number + 1) +
                                              " of " + std::to_string(kMostAttempts) + ": ";
  progress_.show(state_, decided_ + again + describe(trial.cell));
  Row row{.run = writer_.meta().run,
          .trial = trial,
          .attempt = number,
          .threads_by_kind = settings_.threads_by_kind(trial.cell),
          .started_at = utc_now()};
  absl::StatusOr<Sample> sample =
      settings_.compute ? settings_.compute(trial) : measure_in_child(trial_program(), trial);
  if (!sample.ok()) return sample.status();
  row.sample = *std::move(sample);
  if (settings_.compute) return row;
  watch_.note_trial(row.sample);
  note_disturbance(trial.cell, row.sample);
  return row;
}

// Interference makes a row invalid, unless the run has to accept a busy machine. It accepts a quota
// of CPU time at once, because that does not end while the run waits.
void Session::note_disturbance(const Cell& cell, Sample& sample) {
  sample.disturbance = disturbance_of(cell, sample);
  sample.interference = interference_of(cell, sample, usable_processors());
  const bool lasts = !throttling_of(cell, sample, usable_processors()).empty();
  if (lasts || watch_.accepts_interference()) {
    if (!sample.interference.empty()) watch_.note_busy(sample.interference);
  } else if (sample.disturbance.empty()) {
    sample.disturbance = sample.interference;
  }
  if (sample.reason.empty()) sample.reason = sample.disturbance;
}

// A disturbed trial has no figure, but its cell is still recorded, because it needs more figures. A
// trial that lost updates or did not finish is not recorded, because it would do so again.
void Session::note_figure(const Trial& trial, const Sample& sample) {
  if (!aim_ || !sample.proven()) return;
  auto found = std::find_if(figures_.begin(), figures_.end(),
                            [&](const CellFigures& f) { return f.cell == trial.cell; });
  if (found == figures_.end()) {
    figures_.push_back({.cell = trial.cell, .figures = {}});
    found = figures_.end() - 1;
  }
  if (!sample.valid()) return;
  found->figures.push_back(sample.makespan_s
                               ? *sample.makespan_s
                               : static_cast<double>(*sample.operations) / *sample.window_s);
}

void Session::note_time_left() {
  update_elapsed();
  state_.budget_left_s.reset();
  if (aim_) state_.budget_left_s = budget_left_s();
}

double Session::budget_left_s() {
  update_elapsed();
  return std::chrono::duration<double>(aim_->budget + watch_.waited()).count() - state_.elapsed_s;
}

// The cells whose medians are not narrow enough, if the budget is sufficient for another block of
// them.
std::vector<Cell> Session::imprecise() {
  std::vector<Cell> cells = imprecise_cells(figures_, *aim_->precision);
  double block_s = 0;
  for (const Cell& cell : cells) block_s += expected_s(Trial{.cell = cell});
  if (block_s <= budget_left_s()) return cells;
  left_imprecise_ = std::move(cells);
  return {};
}

// Python takes a second or two to start. It is started and called once before the first trial, so
// that it does not start while a trial is measured. There are no rows yet, so this answer is not
// used.
void Session::start_follower() {
  const absl::StatusOr<std::vector<std::string>> words = analysis_words(
      "follow", {writer_.folder().string(), "--same-within", absl::StrCat(aim_->same_within)});
  absl::StatusOr<LineProcess> started =
      words.ok() ? LineProcess::start(*words) : absl::StatusOr<LineProcess>(words.status());
  if (!started.ok()) {
    say("measures the first blocks only: " + std::string(started.status().message()));
    aim_.reset();
    return;
  }
  follower_.emplace(*std::move(started));
  static_cast<void>(ask_follower());
}

absl::StatusOr<OpenComparisons> Session::ask_follower() {
  const absl::StatusOr<std::string> answer = follower_->ask(kFollowerAnswersWithin);
  if (!answer.ok()) return answer.status();
  return open_comparisons_from_json(*answer);
}

// The cells of the comparisons that can be decided within the budget.
std::vector<Cell> Session::undecided() {
  const absl::StatusOr<OpenComparisons> found = ask_follower();
  if (!found.ok()) {
    if (absl::IsCancelled(found.status())) return {};
    say("adds no more blocks: " + std::string(found.status().message()));
    return {};
  }
  decided_ = absl::StrCat(found->decided, " of ", found->comparisons, " comparisons decided; ");
  const CellSeconds seconds = [](const Cell& cell) { return expected_s(Trial{.cell = cell}); };
  std::vector<Cell> cells =
      cells_of_next_block(writer_.meta().plan, *found, budget_left_s(), seconds);
  state_.later_s = seconds_to_decide(writer_.meta().plan, *found, seconds);
  for (const Cell& cell : cells) state_.later_s -= seconds(cell);  // the next block
  state_.later_s = std::max(0.0, state_.later_s);
  return cells;
}

// Adds the next block. Returns whether there is one.
absl::StatusOr<bool> Session::next_block() {
  if (!aim_) return false;
  const std::vector<Cell> cells = aim_->precision ? imprecise() : undecided();
  if (cells.empty()) return false;
  if (absl::Status extended = writer_.extend(cells); !extended.ok()) return extended;
  const std::vector<Trial>& trials = writer_.meta().plan.trials;
  for (std::size_t i = trials.size() - cells.size(); i < trials.size(); ++i) {
    add_missing(trials[i]);
  }
  state_.total = trials.size();
  return true;
}

int Session::finished() {
  update_elapsed();
  progress_.show(state_, "");
  progress_.end_bar_line();
  absl::Status ended = absl::OkStatus();
  if (!settings_.compute) {
    watch_.note_end();
    ended = writer_.note(watch_.surroundings());
  }
  ended.Update(end(RunEnd::State::kFinished));
  return ended.ok() ? settings_.finished(conclusion()) : complain(ended);
}

// The session before this one was killed after its last row. What it recorded of its surroundings
// stays.
int Session::nothing_left() {
  const absl::Status ended = end(RunEnd::State::kFinished);
  return ended.ok() ? finish_again(conclusion(), settings_) : complain(ended);
}

FinishedSession Session::conclusion() {
  FinishedSession session =
      finished_session(writer_.folder().string(), writer_.meta().plan, std::move(measurements_));
  if (!left_imprecise_.empty()) {
    session.tally.note_imprecise(left_imprecise_, *aim_->precision);
  }
  return session;
}

int Session::interrupted() {
  const int signal = noted_signal();
  progress_.end_bar_line();
  if (const absl::Status ended = end(RunEnd::State::kInterrupted); !ended.ok()) complain(ended);
  std::cerr << "Interrupted: " << how_to_go_on() << '\n';
  return kSignalExitBase + signal;
}

int Session::stopped(const absl::Status& status) {
  progress_.end_bar_line();
  // If rows could not be written, this may fail for the same reason, which is printed once.
  static_cast<void>(end(RunEnd::State::kInterrupted));
  return complain(
      absl::Status(status.code(), std::string(status.message()) + "; " + how_to_go_on()));
}

int Session::complain(const absl::Status& status) {
  say(std::string(status.message()));
  return kCouldNotFinish;
}

void Session::say(const std::string& what) {
  progress_.end_bar_line();
  lockbench::say(std::cerr, "lockbench " + settings_.command, what);
}

absl::Status Session::end(RunEnd::State state) {
  update_elapsed();
  return writer_.finish(state, state_.elapsed_s);
}

void Session::update_elapsed() {
  state_.elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

std::string Session::how_to_go_on() const {
  std::string kept = absl::StrCat(kept_, " of ", state_.total, " trials are kept; ");
  if (!settings_.answers_with.empty()) {
    absl::StrAppend(&kept, "when all are, the same command with ", settings_.answers_with, " ",
                    shell_command({writer_.folder().string()}), " answers; ");
  }
  kept += "to go on: ";
  if (!settings_.go_on.empty()) return kept + settings_.go_on;
  std::vector<std::string> words{settings_.program, "run", "--resume", writer_.folder().string()};
  for (const std::string& plugin : plugins_of(writer_.meta().plan)) {
    words.insert(words.end(), {"--plugin", plugin});
  }
  return kept + shell_command(words);
}

}  // namespace lockbench
