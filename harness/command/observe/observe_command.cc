// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/observe_command.h"

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/command/observe/attach.h"
#include "harness/command/observe/blocked_timeline.h"
#include "harness/command/observe/observation_folder.h"
#include "harness/command/observe/observation_reader.h"
#include "harness/command/observe/observed_check.h"
#include "harness/command/observe/observed_json.h"
#include "harness/command/observe/observed_place.h"
#include "harness/command/observe/observed_preset.h"
#include "harness/command/observe/observed_text.h"
#include "harness/command/observe/process_tree.h"
#include "harness/command/observe/recording_file.h"
#include "harness/command/observe/verdict.h"
#include "harness/kernel/processors.h"
#include "harness/observe/ticks.h"
#include "harness/plan/expression.h"
#include "harness/plan/printable.h"
#include "harness/process/foreground_program.h"
#include "harness/process/preload.h"
#include "harness/process/program_file.h"
#include "harness/process/resources.h"
#include "harness/record/files.h"
#include "harness/record/meta.h"
#include "harness/record/stamp.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

static_assert(kMostCallers == observe::Place::kMostCallers);

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

int complain(std::ostream& err, const std::string& what, int code) {
  err << "lockbench observe: " << printable(what) << '\n';
  return code;
}

int complain(std::ostream& err, const absl::Status& status, int code) {
  return complain(err, std::string(status.message()), code);
}

// The rate of the ticks, from two readings that are far enough apart.
class TickRate {
 public:
  ObservationClock read() const {
    constexpr std::uint64_t kApartNs = 20'000'000;
    std::uint64_t ns = observe::monotonic_ns();
    while (ns - ns_ < kApartNs) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(kApartNs - (ns - ns_)));
      ns = observe::monotonic_ns();
    }
    const std::uint64_t now = observe::ticks();
    return {.ns_per_tick = static_cast<double>(ns - ns_) / static_cast<double>(now - ticks_),
            .now_ticks = now};
  }

 private:
  std::uint64_t ns_ = observe::monotonic_ns();
  std::uint64_t ticks_ = observe::ticks();
};

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
                      observed_preset(*place, *process, facts.processor_s, facts.processors));
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) return absl::StrCat("signal ", WTERMSIG(status));
  return absl::StrCat("exit code ", WEXITSTATUS(status));
}

class ObserveRun {
 public:
  ObserveRun(const ObserveOptions& options, std::ostream& err) : options_(options), err_(err) {}

  int run() {
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of the write
    const absl::StatusOr<ProgramFile> program = find_preloadable(options_.command[0]);
    if (!program.ok()) return complain(err_, program.status(), kBadInput);
    const auto library = find_engine("liblockbench_observe.so");
    if (!library) {
      return complain(err_, "liblockbench_observe.so is missing beside lockbench; install it again",
                      kCouldNotFinish);
    }
    const absl::StatusOr<std::string> preload = preload_variable(*library);
    if (!preload.ok()) return complain(err_, preload.status(), kCouldNotFinish);
    auto recording = RecordingFile::create(options_.callers);
    if (!recording.ok()) {
      return complain(err_, recording.status(), kCouldNotFinish);
    }
    recording_ = *std::move(recording);
    const absl::StatusOr<fs::path> folder =
        new_observation_folder(options_.out, options_.command[0]);
    if (!folder.ok()) {
      const bool exists = absl::IsAlreadyExists(folder.status());
      return complain(err_, folder.status(), exists ? kBadInput : kCouldNotFinish);
    }
    folder_ = *folder;
    if (!program->interpreter.empty()) {
      complain(err_,
               program->path.string() + " is a script; the locks of its interpreter " +
                   program->interpreter + " are observed",
               0);
    }
    facts_.interpreter = program->interpreter;
    return observe(*preload);
  }

 private:
  // `preload`: the environment variable.
  int observe(const std::string& preload) {
    facts_.command = options_.command;
    facts_.started_at = utc_now();
    facts_.delay_s = seconds(options_.delay);
    facts_.duration_s = seconds(options_.duration);
    facts_.places = options_.place;
    facts_.uncontended_ns = uncontended_cost_ns();
    facts_.processors = static_cast<double>(usable_processors());
    recording_->set_paused(options_.delay.count() != 0);
    tree_.emplace(*recording_);
    begin_ = Clock::now();
    next_look_ = begin_ + ProcessTree::kFirstLook;
    next_note_ = begin_ + std::chrono::seconds(1);
    const ForegroundOrder order{.words = options_.command,
                                .environment = {preload, recording_->variable()},
                                .first = ProcessTree::kFirstLook,
                                .look = [this] { return look(); },
                                .has_ended = [this](std::uint32_t pid) { tree_->has_ended(pid); }};
    absl::StatusOr<ForegroundEnd> end = run_in_foreground(order);
    if (!end.ok()) return complain(err_, end.status(), kBadInput);
    if (stopped_ticks_ == 0) stopped_ticks_ = observe::ticks();
    facts_.wall_s = end->wall_s;
    facts_.processor_s = end->processor_s;
    facts_.status = end->status;
    return report(*end);
  }

  // While the program runs. Returns the time to the next call.
  std::chrono::nanoseconds look() {
    const Clock::time_point now = Clock::now();
    const Clock::duration passed = now - begin_;
    const Clock::duration stop = options_.delay + options_.duration;
    const bool over = options_.duration.count() != 0 && passed >= stop;
    recording_->set_paused(passed < options_.delay || over);
    if (over && stopped_ticks_ == 0) stopped_ticks_ = observe::ticks();
    if (now >= next_look_) {
      next_look_ = now + tree_->look();
      recording_->free_unused_slots();
    }
    if (now >= next_note_) {
      next_note_ = now + std::chrono::seconds(1);
      timeline_.note(blocked_s_of_each(*recording_, rate_.read()),
                     std::chrono::duration<double>(passed).count());
    }
    Clock::time_point next = std::min(next_look_, next_note_);
    for (const Clock::duration change : {Clock::duration(options_.delay), stop}) {
      if (change > passed) next = std::min(next, begin_ + change);
    }
    return next - Clock::now();
  }

  // What was observed of the program's time, and how it ended.
  void add_window(Coverage& coverage, const ForegroundEnd& end) const {
    coverage.end = end_text(end.status);
    coverage.life_s = end.wall_s;
    coverage.delay_s = facts_.delay_s;
    coverage.window_s = std::max(0.0, end.wall_s - facts_.delay_s);
    if (facts_.duration_s > 0) coverage.window_s = std::min(coverage.window_s, facts_.duration_s);
  }

  int report(const ForegroundEnd& end) {
    ObservationClock clock = rate_.read();
    clock.now_ticks = stopped_ticks_;
    std::set<std::uint32_t> present = tree_->running();
    present.insert(end.process);
    Observation observation = read_observation(*recording_, clock, present, facts_.uncontended_ns);
    tree_->add_to(observation.coverage, end.processor_s);
    add_window(observation.coverage, end);
    for (ObservedProcess& process : observation.processes) {
      process.timeline = timeline_.of(process.record);
    }
    // The processor time is that of the whole program.
    if (options_.delay.count() == 0 && options_.duration.count() == 0) {
      bound_by_processors(observation, facts_.processor_s, facts_.processors,
                          facts_.uncontended_ns);
    }
    const Verdict verdict = verdict_of(observation, options_.command[0]);
    if (!options_.place.empty()) {
      const bool some = !observation.processes.empty();
      if (!keep_places(observation, *Expression::parse(options_.place)) && some) {
        complain(err_, "--place: no place matches '" + options_.place + "'; all are shown", 0);
      }
    }
    const absl::Status written = write_results(folder_, observation, verdict, facts_);
    if (!written.ok()) return complain(err_, written, kCouldNotFinish);
    err_ << '\n'
         << observed_text(observation, verdict) << "Observation "
         << printable((folder_ / "observed.json").string()) << '\n';
    if (first_place(observation).second != nullptr) {
      const auto next = [this](const char* what, const std::vector<std::string>& words) {
        err_ << what << printable(shell_command(words)) << '\n';
      };
      next("page        ", {"lockbench", "report", folder_.string()});
      next("reproduce   ", {"lockbench", "run", (folder_ / "observed.toml").string()});
      next("choose      ", {"lockbench", "advise", "--observed", folder_.string()});
    }
    return exit_code_of(end.status);
  }

  const ObserveOptions& options_;
  std::ostream& err_;
  TickRate rate_;
  std::unique_ptr<RecordingFile> recording_;
  fs::path folder_;
  ObservationFacts facts_;
  BlockedTimeline timeline_;
  std::optional<ProcessTree> tree_;
  Clock::time_point begin_;
  Clock::time_point next_look_;
  Clock::time_point next_note_;
  std::uint64_t stopped_ticks_ = 0;  // when --duration was over, or the program ended
};

// Observes the benchmark as the program was observed.
int check(const ObserveOptions& options, std::ostream& err) {
  const absl::StatusOr<RecordedPlace> program = recorded_place(*options.check, 1);
  if (!program.ok()) return complain(err, program.status(), kBadInput);
  const std::string benchmark = shell_command(
      {this_program().string(), "run", (*options.check / "observed.toml").string(), "--primitive",
       primitive_like_the_program(load_of(*program)), "--blocks", "1", "--window", "1s",
       "--patience", "0", "--progress", "off", "--out", (*options.check / "preset-run").string()});
  std::error_code none;
  fs::remove_all(*options.check / "preset-run", none);
  fs::remove_all(*options.check / "preset", none);
  ObserveOptions inner{.command = {"sh", "-c", "exec " + benchmark + " >/dev/null"},
                       .out = *options.check / "preset"};
  std::ostringstream said;
  if (const int code = ObserveRun(inner, said).run(); code != 0) {
    if (code > 128) return code;  // interrupted
    err << said.str();
    return complain(err, "--check: the preset could not be measured: " + benchmark,
                    kCouldNotFinish);
  }
  const absl::StatusOr<RecordedPlace> preset = busiest_place(*inner.out);
  if (!preset.ok()) return complain(err, preset.status(), kCouldNotFinish);
  const ObservedCheck checked = check_of(*program, *preset);
  err << printable(program->name) << '\n' << to_text(checked);
  return checked.agrees() ? 0 : kInconclusive;
}

}  // namespace

int observe_command(const ObserveOptions& options, std::ostream& err) {
  if (options.pid) return attach_command(options, err);
  return options.check ? check(options, err) : ObserveRun(options, err).run();
}

}  // namespace lockbench
