// SPDX-License-Identifier: Apache-2.0

// Session: measures what is missing of a run, trial by trial, and hands over what it measured.
//
// Guarantees   however it ends, every finished trial has its row, and how to go on is said.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/command/run/machine_watch.h"
#include "harness/command/run/open_comparisons.h"
#include "harness/command/run/progress.h"
#include "harness/command/run/tally.h"
#include "harness/plan/precision.h"
#include "harness/process/line_process.h"
#include "harness/record/measurement.h"
#include "harness/record/run_writer.h"

namespace lockbench {

// What a trial, or all of them, are likely to take, their processes' start and end included.
Nanoseconds expected_ns(const Trial& trial);
double expected_s(const Trial& trial);
double expected_s(const std::vector<Trial>& trials);

// A session that came to its end.
struct FinishedSession {
  std::string folder;
  Plan plan;
  std::vector<Measurement> measurements;  // of all sessions of the run
  Tally tally;                            // of this one
};

// What blocks are added for when the plan has been measured.
struct RunAim {
  // Until the median of each cell is known to this share (precision.h). Absent: until each
  // comparison is decided (open_comparisons.h).
  std::optional<double> precision;
  double same_within = 0.05;  // below this share of difference, two primitives are the same
  Nanoseconds budget{0};      // for the whole session, waits for a quiet machine left out
};

struct SessionSettings {
  ProgressStyle progress = ProgressStyle::kAuto;
  std::string program;                    // how lockbench was called, for what is to be typed next
  std::string command = "run";            // that its complaints are told by
  Nanoseconds patience = kUsualPatience;  // how long it waits for a quiet machine
  std::optional<std::set<std::uint32_t>> only;  // the numbers of a shard's trials; absent: all
  std::string go_on;  // the command that goes on with the run; empty: `run --resume`
  std::function<int(const FinishedSession&)> finished;  // says what came of it; the exit code
};

class Session {
 public:
  // `done`: numbers of the trials that have their row, and `before` what these tell.
  Session(RunWriter writer, std::set<std::uint32_t> done, std::vector<Measurement> before,
          SessionSettings settings);

  // Adds blocks of those cells that need them, as long as the budget lasts.
  void aim_for(const RunAim& aim);

  // Returns the exit code, see run_command.h. Requires note_signals().
  int run();

 private:
  // How often a disturbed trial is measured at most.
  static constexpr std::uint32_t kMostAttempts = 3;

  void add_missing(const Trial& trial);
  absl::Status measure(const Trial& trial);
  absl::StatusOr<Row> attempt(const Trial& trial, std::uint32_t number);
  void note_disturbance(const Cell& cell, Sample& sample);
  void note_figure(const Trial& trial, const Sample& sample);
  absl::StatusOr<bool> next_block();
  double budget_left_s();
  std::vector<Cell> imprecise();
  void start_follower();
  absl::StatusOr<OpenComparisons> ask_follower();
  std::vector<Cell> undecided();
  int finished();
  int interrupted();
  int stopped(const absl::Status& status);
  int complain(const absl::Status& status);
  void say(const std::string& what);

  absl::Status end(RunEnd::State state);
  void update_elapsed();
  std::string how_to_go_on() const;

  RunWriter writer_;
  std::vector<std::uint32_t> missing_;  // places in the writer's plan
  std::optional<RunAim> aim_;
  std::optional<LineProcess> follower_;  // says which comparisons are open
  std::string decided_;                  // "30 of 51 comparisons decided", for the progress line
  std::vector<CellFigures> figures_;     // of this session's trials
  std::size_t kept_ = 0;                 // trials with a row: a resumed run takes them as they are
  ProgressState state_;
  Progress progress_;
  MachineWatch watch_;
  Tally tally_;
  std::vector<Measurement> measurements_;
  SessionSettings settings_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace lockbench
