// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/observe_command.h"

#include <chrono>
#include <csignal>
#include <memory>
#include <sstream>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/command/observe/blocked_timeline.h"
#include "harness/command/observe/observation.h"
#include "harness/command/observe/observed_check.h"
#include "harness/command/observe/observed_json.h"
#include "harness/command/observe/observed_place.h"
#include "harness/command/observe/observed_preset.h"
#include "harness/command/observe/observed_text.h"
#include "harness/command/observe/recording_file.h"
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

// One line on the terminal that is written again and again.
class LiveLine {
 public:
  LiveLine(std::ostream& err, const RecordingFile& recording, const TickRate& rate)
      : err_(err), recording_(recording), rate_(rate), shown_(isatty(STDERR_FILENO) == 1) {}
  ~LiveLine() {
    if (shown_) err_ << "\r\x1b[K" << std::flush;
  }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  void update() {
    if (!shown_) return;
    const auto copy = recording_.copy();
    if (!copy.ok()) return;
    const Observation seen = read_observation(***copy, rate_.read(), 0, 0);
    std::uint64_t acquisitions = 0;
    for (const ObservedProcess& process : seen.processes) acquisitions += process.acquisitions;
    const Clock::time_point now = Clock::now();
    const double per_s = static_cast<double>(acquisitions - acquisitions_) /
                         std::chrono::duration<double>(now - since_).count();
    since_ = now;
    acquisitions_ = acquisitions;
    err_ << absl::StrFormat("\r\x1b[K%.3g acquisitions/s", per_s);
    if (!seen.processes.empty() && seen.processes[0].places[0].blocked_s > 0) {
      err_ << "; most time in waits: " << printable(seen.processes[0].places[0].name());
    }
    err_ << std::flush;
  }

 private:
  std::ostream& err_;
  const RecordingFile& recording_;
  const TickRate& rate_;
  bool shown_;
  Clock::time_point since_ = Clock::now();
  std::uint64_t acquisitions_ = 0;
};

double seconds(Nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

absl::Status write_results(const fs::path& folder, const Observation& observation,
                           const ObservationFacts& facts) {
  absl::Status status = replace_file(folder / "observed.json", observed_json(observation, facts));
  if (!status.ok() || observation.processes.empty()) return status;
  const ObservedProcess& process = observation.processes[0];
  return replace_file(
      folder / "observed.toml",
      observed_preset(process.places[0], process, facts.processor_s, facts.processors));
}

// The folder is created before the program runs: a folder that cannot be written would lose the
// observation.
absl::StatusOr<fs::path> new_folder(const ObserveOptions& options) {
  const fs::path folder =
      options.out.value_or(fs::path("results") / "observed" /
                           new_run_id(fs::path(options.command[0]).filename().string()));
  std::error_code none;
  if (fs::exists(folder, none)) {
    return absl::AlreadyExistsError(folder.string() +
                                    ": exists already; name another folder with --out");
  }
  if (const absl::Status made = make_folders(folder); !made.ok()) return made;
  return folder;
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
    const absl::StatusOr<fs::path> folder = new_folder(options_);
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
    const Clock::time_point begin = Clock::now();
    absl::StatusOr<ForegroundEnd> end = [&] {
      LiveLine live(err_, *recording_, rate_);
      ForegroundOrder order{.words = options_.command,
                            .environment = {preload, recording_->variable()}};
      if (options_.delay.count() != 0 || options_.duration.count() != 0) {
        order.period = std::chrono::milliseconds(20);
      }
      Clock::time_point next_line = begin + std::chrono::seconds(1);
      order.each_period = [&] {
        const Clock::time_point now = Clock::now();
        const auto passed = now - begin;
        const bool over =
            options_.duration.count() != 0 && passed >= options_.delay + options_.duration;
        recording_->set_paused(passed < options_.delay || over);
        if (over && stopped_ticks_ == 0) stopped_ticks_ = observe::ticks();
        if (now < next_line) return;
        next_line = now + std::chrono::seconds(1);
        live.update();
        timeline_.note(recording_->live(), rate_.read(),
                       std::chrono::duration<double>(passed).count());
      };
      return run_in_foreground(order);
    }();
    if (!end.ok()) return complain(err_, end.status(), kBadInput);
    if (stopped_ticks_ == 0) stopped_ticks_ = observe::ticks();
    facts_.wall_s = end->wall_s;
    facts_.processor_s = end->processor_s;
    facts_.status = end->status;
    return report(*end);
  }

  int report(const ForegroundEnd& end) {
    ObservationClock clock = rate_.read();
    clock.now_ticks = stopped_ticks_;
    const auto copy = recording_->copy();
    if (!copy.ok()) return complain(err_, copy.status(), kCouldNotFinish);
    Observation observation = read_observation(***copy, clock, end.process, facts_.uncontended_ns);
    for (ObservedProcess& process : observation.processes) {
      process.timeline = timeline_.of(process.record);
    }
    // The processor time is that of the whole program.
    if (options_.delay.count() == 0 && options_.duration.count() == 0) {
      bound_by_processors(observation, facts_.processor_s, facts_.processors,
                          facts_.uncontended_ns);
    }
    if (!options_.place.empty()) {
      const bool some = !observation.processes.empty();
      if (!keep_places(observation, *Expression::parse(options_.place)) && some) {
        complain(err_, "--place: no place matches '" + options_.place + "'; all are shown", 0);
      }
    }
    const absl::Status written = write_results(folder_, observation, facts_);
    if (!written.ok()) return complain(err_, written, kCouldNotFinish);
    err_ << '\n'
         << observed_text(observation, options_.command[0]) << "Observation "
         << printable((folder_ / "observed.json").string()) << '\n';
    if (!observation.processes.empty()) {
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
  return options.check ? check(options, err) : ObserveRun(options, err).run();
}

}  // namespace lockbench
