#include "harness/command/run_command.h"

#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <random>
#include <set>

#include "harness/catalog/catalog.h"
#include "harness/command/child.h"
#include "harness/command/resources.h"
#include "harness/command/signals.h"
#include "harness/plan/describe.h"
#include "harness/plan/expand.h"
#include "harness/plan/limits.h"
#include "harness/plan/quantity.h"
#include "harness/plan/spelling.h"
#include "harness/record/build.h"
#include "harness/record/machine.h"
#include "harness/record/run_writer.h"
#include "harness/record/target.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

// What starting and ending a trial's process takes, on top of what it measures.
constexpr double kProcessS = 0.012;

constexpr int kBadInput = 2;
constexpr int kCannotGoOn = 1;

int complain(const absl::Status& status, int code) {
  std::cerr << "lockbench run: " << status.message() << '\n';
  return code;
}

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

// Unique among runs that a reader may lay side by side: the time, the preset and some chance.
std::string new_run_id(const std::string& preset) {
  std::string name;
  for (const char c : preset) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  char chance[8];
  std::snprintf(chance, sizeof chance, "%04x", std::random_device{}() & 0xffffu);
  return utc_now("%Y%m%d-%H%M%S-") + name + "-" + chance;
}

absl::StatusOr<Preset> chosen_preset(const RunOptions& options) {
  if (!options.preset) return preset_from(options.overrides);
  const absl::StatusOr<Preset> preset = load_preset(*options.preset);
  if (!preset.ok()) return preset.status();
  return apply(*preset, options.overrides);
}

double expected_s(const Trial& trial) {
  return std::chrono::duration<double>(expected_duration(trial)).count() + kProcessS;
}

double expected_s(const Plan& plan) {
  double sum = 0;
  for (const Trial& trial : plan.trials) sum += expected_s(trial);
  return sum;
}

int print_plan(const Plan& plan) {
  for (const Trial& trial : plan.trials) std::cout << describe(trial) << '\n';
  std::cout << plan.trials.size() << " trials in " << plan.blocks << " blocks, about "
            << to_text(std::chrono::duration_cast<Nanoseconds>(
                   std::chrono::seconds(static_cast<long>(expected_s(plan) + 1))))
            << '\n';
  return 0;
}

// How the trials of this session ended, for the closing words.
class Tally {
 public:
  void add(const Trial& trial, const Sample& sample) {
    if (sample.valid()) {
      ++valid_;
      return;
    }
    Complaint& complaint = complaints_[to_text(trial.cell.primitive)];
    ++complaint.trials;
    complaint.reason = sample.reason;
  }

  void print(std::ostream& out) const {
    out << valid_ << " valid trials";
    if (complaints_.empty()) out << '.';
    out << '\n';
    for (const auto& [primitive, complaint] : complaints_) {
      out << "  not valid: " << complaint.trials << " of " << primitive << ": " << complaint.reason
          << '\n';
    }
  }

 private:
  struct Complaint {
    std::size_t trials = 0;
    std::string reason;  // of the last
  };

  std::size_t valid_ = 0;
  std::map<std::string, Complaint> complaints_;
};

// Measures what is missing of a run.
class Session {
 public:
  Session(RunWriter writer, std::set<std::uint32_t> done, ProgressStyle progress)
      : writer_(std::move(writer)), done_(std::move(done)), progress_(progress) {}

  int run() {
    const Plan& plan = writer_.meta().plan;
    for (const Trial& trial : plan.trials) {
      if (!done_.contains(trial.number)) missing_.push_back(&trial);
    }
    for (const Trial* trial : missing_) state_.expected_total_s += expected_s(*trial);
    state_.total = missing_.size();
    for (const Trial* trial : missing_) {
      if (noted_signal() != 0) return interrupted();
      const absl::Status measured = measure(*trial);
      if (absl::IsCancelled(measured)) return interrupted();
      if (!measured.ok()) return stopped(measured);
    }
    return finished();
  }

 private:
  absl::Status measure(const Trial& trial) {
    update_elapsed();
    progress_.show(state_, describe(trial.cell));
    Row row{.run = writer_.meta().run, .trial = trial, .started_at = utc_now("%Y-%m-%dT%H:%M:%SZ")};
    absl::StatusOr<Sample> sample = measure_in_child(this_program(), trial);
    if (!sample.ok()) return sample.status();
    row.sample = *std::move(sample);
    tally_.add(trial, row.sample);
    ++state_.done;
    state_.expected_done_s += expected_s(trial);
    return writer_.append(row);
  }

  void update_elapsed() {
    state_.elapsed_s = std::chrono::duration<double>(Clock::now() - begun_).count();
  }

  int interrupted() {
    const int signal = noted_signal();
    const absl::Status ended = end(RunEnd::State::kInterrupted);
    if (!ended.ok()) complain(ended, kCannotGoOn);
    std::cerr << "\nInterrupted; " << rows_kept() << ' ' << how_to_resume() << '\n';
    return 128 + signal;
  }

  int stopped(const absl::Status& status) {
    complain(status, kCannotGoOn);
    // Where rows could not be written, the closing note may fail for the same reason: said once.
    static_cast<void>(end(RunEnd::State::kInterrupted));
    std::cerr << rows_kept() << ' ' << how_to_resume() << '\n';
    return kCannotGoOn;
  }

  int finished() {
    update_elapsed();
    progress_.show(state_, "");
    const absl::Status ended = end(RunEnd::State::kFinished);
    if (!ended.ok()) return complain(ended, kCannotGoOn);
    const std::string folder = shell_command({writer_.folder().string()});
    std::cout << '\n' << "Measured " << writer_.folder().string() << ": ";
    tally_.print(std::cout);
    std::cout << "Next: lockbench plot " << folder << "      pictures\n"
              << "      lockbench compare " << folder << "   a table\n";
    return 0;
  }

  absl::Status end(RunEnd::State state) {
    update_elapsed();
    return writer_.finish(state, state_.elapsed_s);
  }

  std::string rows_kept() const {
    return std::to_string(done_.size() + state_.done) + " of " +
           std::to_string(writer_.meta().plan.trials.size()) + " trials are kept.";
  }

  std::string how_to_resume() const {
    return "To go on: " +
           shell_command({"lockbench", "run", "--resume", writer_.folder().string()});
  }

  RunWriter writer_;
  std::set<std::uint32_t> done_;
  Progress progress_;
  std::vector<const Trial*> missing_;
  ProgressState state_;
  Tally tally_;
  const Clock::time_point begun_ = Clock::now();
};

int resume(const RunOptions& options) {
  absl::StatusOr<ResumedRun> run = open_for_resume(*options.resume);
  if (!run.ok()) return complain(run.status(), kBadInput);
  const std::string obstacle = why_not_resume(run->writer.meta(), read_machine(), this_build());
  if (!obstacle.empty()) return complain(absl::FailedPreconditionError(obstacle), kBadInput);
  for (const std::string& repair : run->repairs) std::cerr << "lockbench run: " << repair << '\n';
  return Session(std::move(run->writer), std::move(run->done), options.progress).run();
}

void say_target(const Machine& machine, const std::string& target_name) {
  const Target* const target = find_target(target_name);
  if (target == nullptr) return;
  const TargetMatch match = match_target(machine, *target);
  if (!match.matches) std::cerr << "lockbench run: " << match.note << '\n';
}

int begin(const RunOptions& options, Plan plan) {
  const RunIdentity identity{
      .run_id = new_run_id(plan.preset), .preset = plan.preset, .target = plan.target};
  const Machine machine = read_machine();
  say_target(machine, plan.target);
  const fs::path folder = options.out.value_or(fs::path("results") / "runs" / identity.run_id);
  absl::StatusOr<RunWriter> writer =
      RunWriter::create(folder, {.run = identity,
                                 .started_at = utc_now("%Y-%m-%dT%H:%M:%SZ"),
                                 .command = shell_command(options.words),
                                 .machine = machine,
                                 .build = this_build(),
                                 .plan = std::move(plan)});
  if (!writer.ok()) return complain(writer.status(), kBadInput);
  return Session(*std::move(writer), {}, options.progress).run();
}

}  // namespace

int run_command(const RunOptions& options) {
  note_signals();
  if (options.resume) return resume(options);
  const absl::StatusOr<Preset> preset = chosen_preset(options);
  if (!preset.ok()) return complain(preset.status(), kBadInput);
  absl::StatusOr<Plan> plan =
      expand(*preset, [](const Cell& cell) { return Catalog::standard().check(cell); });
  if (!plan.ok()) return complain(plan.status(), kBadInput);
  if (options.dry_run) return print_plan(*plan);
  return begin(options, *std::move(plan));
}

}  // namespace lockbench
