// Session: measures what is missing of a run, trial by trial, and says how it went.
//
// Guarantees   however it ends, every finished trial has its row, and how to go on is said.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/command/progress.h"
#include "harness/command/tally.h"
#include "harness/record/run_writer.h"

namespace lockbench {

// What a trial, or all of them, are likely to take, their processes' start and end included.
double expected_s(const Trial& trial);
double expected_s(const std::vector<Trial>& trials);

std::string utc_now(const char* strftime_format);

class Session {
 public:
  // `done`: numbers of the trials that have their row. `program`: how lockbench was called.
  Session(RunWriter writer, std::set<std::uint32_t> done, ProgressStyle progress,
          std::string program);

  // Returns the exit code, see run_command.h. Requires note_signals().
  int run();

 private:
  absl::Status measure(const Trial& trial);
  int finished();
  int interrupted();
  int stopped(const absl::Status& status);

  absl::Status end(RunEnd::State state);
  void update_elapsed();
  std::string how_to_go_on() const;

  RunWriter writer_;
  std::vector<const Trial*> missing_;  // of the writer's plan
  ProgressState state_;
  Progress progress_;
  Tally tally_;
  std::string program_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace lockbench
