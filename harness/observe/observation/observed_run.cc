// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observed_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/bench/measure/processor_use.h"
#include "harness/kernel/core_kinds.h"
#include "harness/kernel/processors.h"
#include "harness/kernel/topology.h"
#include "harness/observe/observation/blocked_timeline.h"
#include "harness/observe/observation/observation_reader.h"
#include "harness/observe/observation/process_tree.h"
#include "harness/observe/observation/recording_file.h"
#include "harness/observe/recorder/ticks.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

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

std::string end_text(int status) {
  if (WIFSIGNALED(status)) return absl::StrCat("signal ", WTERMSIG(status));
  return absl::StrCat("exit code ", WEXITSTATUS(status));
}

class Observer {
 public:
  Observer(const ObservedRunOrder& order, std::unique_ptr<RecordingFile> recording)
      : order_(order), recording_(std::move(recording)), tree_(*recording_, order.processors) {}

  absl::StatusOr<ObservedRun> run() {
    observed_ = order_.delay.count() == 0;
    recording_->set_paused(!observed_);
    begin_ = Clock::now();
    next_look_ = begin_ + ProcessTree::kFirstLook;
    next_note_ = begin_ + std::chrono::seconds(1);
    const ForegroundOrder order{.words = order_.command,
                                .environment = {order_.preload, recording_->variable()},
                                .first = ProcessTree::kFirstLook,
                                .look = [this] { return look(); },
                                .has_ended = [this](std::uint32_t pid) { tree_.has_ended(pid); }};
    const absl::StatusOr<ForegroundEnd> end = run_in_foreground(order);
    if (!end.ok()) return end.status();
    if (too_long_) {
      end_the_program();  // what it forked while it was killed
      return absl::DeadlineExceededError("the program did not end in time");
    }
    if (stopped_ticks_ == 0) stopped_ticks_ = observe::ticks();
    return ObservedRun{.observation = read(*end), .end = *end};
  }

 private:
  // While the program runs. Returns the time to the next call.
  std::chrono::nanoseconds look() {
    const Clock::time_point now = Clock::now();
    const Clock::duration passed = now - begin_;
    const Clock::duration limit = order_.time_limit;
    if (limit.count() != 0 && passed >= limit) end_the_program();
    const Clock::duration stop = order_.delay + order_.duration;
    const bool over = order_.duration.count() != 0 && passed >= stop;
    const bool observes = passed >= order_.delay && !over;
    if (observes && !observed_) tree_.note_sleepers();
    observed_ = observes;
    recording_->set_paused(!observes);
    if (over && stopped_ticks_ == 0) stopped_ticks_ = observe::ticks();
    if (now >= next_look_) {
      next_look_ = now + tree_.look(observes);
      recording_->free_unused_slots();
    }
    if (now >= next_note_) {
      next_note_ = now + std::chrono::seconds(1);
      timeline_.note(blocked_s_of_each(*recording_, rate_.read()),
                     std::chrono::duration<double>(passed).count());
    }
    Clock::time_point next = std::min(next_look_, next_note_);
    for (const Clock::duration change : {Clock::duration(order_.delay), stop, limit}) {
      if (change > passed) next = std::min(next, begin_ + change);
    }
    return next - Clock::now();
  }

  void end_the_program() {
    too_long_ = true;
    for (const std::uint32_t process : tree_.running()) kill(static_cast<pid_t>(process), SIGKILL);
  }

  // Adds what the processors did that the program may use, and what of it was the program's.
  void add_other_programs(Coverage& coverage) const {
    const std::optional<ProcessorUse> now = ProcessorUse::now(processors_);
    if (!now || !use_) return;
    const ProcessorUse use = use_between(*use_, *now);
    if (use.all == 0) return;
    const double others_s = static_cast<double>(use.busy) * kTickS - coverage.processor_s;
    coverage.other_programs_share =
        std::max(0.0, others_s / (static_cast<double>(use.all) * kTickS));
  }

  // Adds what was observed of the program's time, and how it ended.
  void add_window(Coverage& coverage, const ForegroundEnd& end) const {
    coverage.end = end_text(end.status);
    coverage.life_s = end.wall_s;
    coverage.delay_s = seconds(order_.delay);
    coverage.window_s = std::max(0.0, end.wall_s - seconds(order_.delay));
    const double duration_s = seconds(order_.duration);
    if (duration_s > 0) coverage.window_s = std::min(coverage.window_s, duration_s);
  }

  Observation read(const ForegroundEnd& end) {
    ObservationClock clock = rate_.read();
    clock.now_ticks = stopped_ticks_;
    std::set<std::uint32_t> present = tree_.running();
    present.insert(end.process);
    Observation observation = read_observation(*recording_, clock, present, order_.uncontended_ns);
    tree_.add_to(observation.coverage, end.processor_s);
    add_window(observation.coverage, end);
    add_other_programs(observation.coverage);
    for (ObservedProcess& process : observation.processes) {
      process.timeline = timeline_.of(process.record);
      process.processor_s = std::max(process.processor_s, tree_.processor_s(process.pid));
      process.elsewhere_s = tree_.elsewhere_s(process.pid);
    }
    // The processor time is that of the whole life of a process.
    if (order_.delay.count() == 0 && order_.duration.count() == 0) {
      bound_by_processors(observation, order_.processors, order_.uncontended_ns);
    }
    return observation;
  }

  const ObservedRunOrder& order_;
  TickRate rate_;
  std::unique_ptr<RecordingFile> recording_;
  ProcessTree tree_;
  BlockedTimeline timeline_;
  Clock::time_point begin_;
  Clock::time_point next_look_;
  Clock::time_point next_note_;
  std::vector<int> processors_ = allowed_processor_numbers();
  std::optional<ProcessorUse> use_ = ProcessorUse::now(processors_);
  bool observed_ = true;             // at the last look
  bool too_long_ = false;            // it ran longer than its limit
  std::uint64_t stopped_ticks_ = 0;  // when the observation ended
};

}  // namespace

absl::StatusOr<ObservedRun> observe_run(const ObservedRunOrder& order) {
  auto recording = RecordingFile::create(order.callers);
  if (!recording.ok()) return recording.status();
  if (const Topology topology = load_topology()) {
    (*recording)->set_core_kinds(core_kinds(topology.get()));
  }
  return Observer(order, *std::move(recording)).run();
}

}  // namespace lockbench
