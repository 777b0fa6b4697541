#include "harness/command/session.h"

#include <ctime>
#include <iostream>
#include <utility>

#include "harness/command/child.h"
#include "harness/command/signals.h"
#include "harness/plan/describe.h"
#include "harness/plan/limits.h"

namespace lockbench {
namespace {

// What starting and ending a trial's process takes, on top of what it measures.
constexpr double kProcessS = 0.012;

constexpr int kCannotGoOn = 1;
constexpr int kSignalBase = 128;  // a shell's exit code of what a signal ended

int complain(const absl::Status& status) {
  std::cerr << "lockbench run: " << status.message() << '\n';
  return kCannotGoOn;
}

}  // namespace

double expected_s(const Trial& trial) {
  return std::chrono::duration<double>(expected_duration(trial)).count() + kProcessS;
}

double expected_s(const std::vector<Trial>& trials) {
  double sum = 0;
  for (const Trial& trial : trials) sum += expected_s(trial);
  return sum;
}

std::string utc_now(const char* strftime_format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, strftime_format, &parts);
  return text;
}

Session::Session(RunWriter writer, std::set<std::uint32_t> done, ProgressStyle progress,
                 std::string program)
    : writer_(std::move(writer)), progress_(progress), program_(std::move(program)) {
  const Plan& plan = writer_.meta().plan;
  for (const Trial& trial : plan.trials) {
    if (done.contains(trial.number)) continue;
    missing_.push_back(&trial);
    state_.expected_total_s += expected_s(trial);
  }
  state_.done = done.size();
  state_.total = plan.trials.size();
}

int Session::run() {
  for (const Trial* const trial : missing_) {
    if (noted_signal() != 0) return interrupted();
    const absl::Status measured = measure(*trial);
    if (absl::IsCancelled(measured)) return interrupted();
    if (!measured.ok()) return stopped(measured);
  }
  return finished();
}

absl::Status Session::measure(const Trial& trial) {
  update_elapsed();
  progress_.show(state_, describe(trial.cell));
  Row row{.run = writer_.meta().run, .trial = trial, .started_at = utc_now("%Y-%m-%dT%H:%M:%SZ")};
  absl::StatusOr<Sample> sample = measure_in_child(kThisProgram, trial);
  if (!sample.ok()) return sample.status();
  row.sample = *std::move(sample);
  if (absl::Status status = writer_.append(row); !status.ok()) return status;
  tally_.add(trial, row.sample);
  ++state_.done;
  state_.expected_done_s += expected_s(trial);
  return absl::OkStatus();
}

int Session::finished() {
  update_elapsed();
  progress_.show(state_, "");
  progress_.leave_bar();
  if (const absl::Status ended = end(RunEnd::State::kFinished); !ended.ok()) {
    return complain(ended);
  }
  const std::string folder = writer_.folder().string();
  std::cout << "Measured " << folder << ": " << tally_.text() << '\n'
            << "Next: " << shell_command({program_, "plot", folder}) << "      pictures\n"
            << "      " << shell_command({program_, "compare", folder}) << "   a table\n";
  return 0;
}

int Session::interrupted() {
  const int signal = noted_signal();
  progress_.leave_bar();
  if (const absl::Status ended = end(RunEnd::State::kInterrupted); !ended.ok()) complain(ended);
  std::cerr << "Interrupted: " << how_to_go_on() << '\n';
  return kSignalBase + signal;
}

int Session::stopped(const absl::Status& status) {
  progress_.leave_bar();
  // Where rows could not be written, the closing note may fail for the same reason: said once.
  static_cast<void>(end(RunEnd::State::kInterrupted));
  std::cerr << "lockbench run: " << status.message() << "; " << how_to_go_on() << '\n';
  return kCannotGoOn;
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
  return std::to_string(state_.done) + " of " + std::to_string(state_.total) +
         " trials are kept; to go on: " +
         shell_command({program_, "run", "--resume", writer_.folder().string()});
}

}  // namespace lockbench
