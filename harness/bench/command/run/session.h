// SPDX-License-Identifier: Apache-2.0

// Session: measures the missing trials of a run, one by one, and returns the measurements.
//
// Guarantees   In every case, each finished trial has its row, and a message says how to continue.
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

#include "harness/base/progress.h"
#include "harness/bench/command/run/core_binding.h"
#include "harness/bench/command/run/machine_watch.h"
#include "harness/bench/command/run/open_comparisons.h"
#include "harness/bench/command/run/tally.h"
#include "harness/bench/plan/precision.h"
#include "harness/bench/record/measurement.h"
#include "harness/bench/record/run_writer.h"
#include "harness/process/line_process.h"

namespace lockbench {

// The expected duration of a trial, without its process.
Nanoseconds expected_ns(const Trial& trial);

// The time to start and end the process of a trial, in addition to its measurement. Threads without
// a processor of their own end later: each one first gets its turn. Pure.
double process_s(std::uint32_t threads, std::uint32_t processors);

// The expected duration of a trial, or of all trials, with their processes, on this machine.
double expected_s(const Trial& trial);
double expected_s(const std::vector<Trial>& trials);

// The same for a machine with enough processors. All machines that share a plan compute the same.
double expected_anywhere_s(const Trial& trial);

// A run, or a shard, whose trials all have their row.
struct FinishedSession {
  std::string folder;
  Plan plan;
  std::vector<Measurement> measurements;  // of all sessions of the run
  Tally tally;                            // of these
};

// `rows`: all rows of the run or shard, the attempts at each trial in their order.
FinishedSession finished_session(std::string folder, Plan plan, std::vector<Measurement> rows);

// The goal for which blocks are added after the plan has been measured.
struct RunAim {
  // Adds blocks until the median of each cell is known to this share (median.h). Absent: until
  // each comparison is decided (open_comparisons.h).
  std::optional<double> precision;
  double same_within = 0.05;  // two primitives are the same below this share of difference
  Nanoseconds budget{0};      // for the whole session, without waits for a quiet machine
};

struct SessionSettings {
  ProgressStyle progress = ProgressStyle::kAuto;
  std::string program;                    // how lockbench was called, for the commands in messages
  std::string command = "run";            // the name of the command in messages
  Nanoseconds patience = kUsualPatience;  // how long it waits for a quiet machine
  std::optional<std::set<std::uint32_t>> only;  // the numbers of a shard's trials; absent: all
  std::string go_on;  // the command that continues the run; empty: `run --resume`
  // The flag with which the command answers from a run; empty: what continues the run answers, too.
  std::string answers_with;
  std::string verb = "measure";  // what it does with a trial, in messages
  // Computes a trial. Nothing is then measured, so the session neither waits for a quiet machine
  // nor looks for disturbance. Absent: trials are measured in child processes.
  std::function<absl::StatusOr<Sample>(const Trial&)> compute = {};
  // How many threads of a cell are bound to each kind of core of the machine, as a row says it.
  std::function<std::string(const Cell&)> threads_by_kind = threads_by_kind_of;
  std::function<int(const FinishedSession&)> finished;  // prints the result; returns the exit code
};

// The end of a command that is repeated after all its trials got their row: says so on standard
// error, and then ends as the session that measured them did. Returns the exit code.
int finish_again(const FinishedSession& session, const SessionSettings& settings);

class Session {
 public:
  // `done`: numbers of the trials that have their row, and `before`: their measurements.
  Session(RunWriter writer, const std::set<std::uint32_t>& done, std::vector<Measurement> before,
          SessionSettings settings);

  // Adds blocks of the cells that need them, as long as the budget is sufficient.
  void aim_for(const RunAim& aim);

  // Returns the exit code, see run_command.h. Requires note_signals().
  int run();

 private:
  // The maximum number of attempts at a disturbed trial.
  static constexpr std::uint32_t kMostAttempts = 3;

  void add_missing(const Trial& trial);
  absl::Status note_surroundings();
  absl::Status measure(const Trial& trial);
  absl::StatusOr<Row> attempt(const Trial& trial, std::uint32_t number);
  void note_disturbance(const Cell& cell, Sample& sample);
  void note_figure(const Trial& trial, const Sample& sample);
  absl::StatusOr<bool> next_block();
  double budget_left_s();
  void note_time_left();
  std::vector<Cell> imprecise();
  void start_follower();
  absl::StatusOr<OpenComparisons> ask_follower();
  std::vector<Cell> undecided();
  int finished();
  int nothing_left();
  FinishedSession conclusion();
  int interrupted();
  int stopped(const absl::Status& status);
  int complain(const absl::Status& status);
  void say(const std::string& what);

  absl::Status end(RunEnd::State state);
  void update_elapsed();
  std::string how_to_go_on() const;

  RunWriter writer_;
  std::vector<std::uint32_t> missing_;  // indices in the writer's plan
  std::optional<RunAim> aim_;
  std::optional<LineProcess> follower_;  // determines which comparisons are open
  std::string decided_;                  // "30 of 51 comparisons decided", for the progress line
  std::vector<CellFigures> figures_;     // of this session's trials
  std::vector<Cell> left_imprecise_;     // when the budget ended
  std::size_t kept_ = 0;                 // trials with a row; a resumed run keeps them
  ProgressState state_;
  Progress progress_;
  MachineWatch watch_;
  std::vector<Measurement> measurements_;
  SessionSettings settings_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace lockbench
