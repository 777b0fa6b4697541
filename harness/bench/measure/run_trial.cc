// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/run_trial.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <sched.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <thread>

#include "harness/bench/measure/conclude.h"
#include "harness/bench/measure/disturbance.h"
#include "harness/bench/measure/event_counts.h"
#include "harness/bench/measure/pinning.h"
#include "harness/bench/measure/process_workers.h"
#include "harness/bench/measure/processor_use.h"
#include "harness/bench/measure/scheduling.h"
#include "harness/bench/measure/thread_workers.h"
#include "harness/bench/measure/usage.h"
#include "harness/kernel/cgroup.h"
#include "harness/kernel/processors.h"
#include "primitives/platform/shared_array.h"
#include "primitives/service.h"

namespace lockbench {
namespace {

// How often the sleeping runner checks whether the threads still make progress.
constexpr Nanoseconds kLook = std::chrono::milliseconds(100);

std::string in_seconds(Nanoseconds duration) {
  std::string text = std::to_string(std::chrono::duration<double>(duration).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

class TrialRun {
 public:
  TrialRun(const Trial& trial, Subject& subject, const Placement& placed)
      : cell_(trial.cell),
        subject_(subject),
        placed_(placed),
        shared_phases_(1, cell_.threads,
                       cell_.mode == Mode::kTimed ? TrialPhases::kWarmup : TrialPhases::kGate),
        phases_(shared_phases_[0]),
        reports_(cell_.threads),
        workers_(cell_.threads),
        group_(group_for(subject, cell_)) {}

  Sample run() {
    Sample sample;
    if (start_threads(sample) && gather(sample) && measure(sample)) {
      group_->join();
      conclude({.cell = cell_,
                .opened = opened_,
                .reports = {reports_.data(), reports_.size()},
                .proof = subject_.prove(),
                .hold_bound = cell_.mode == Mode::kFixed ? subject_.hold_bound() : std::nullopt,
                .capacity = subject_.capacity(),
                .processors = usable_processors(),
                .holds_once = subject_.holds_once(),
                .clock_ns = subject_.clock_ns(),
                .ranks = ranks_},
               sample);
      add_costs(sample);
      if (events_) {
        add_events(events_->counts(), used_, cell_.threads,
                   std::min(cell_.threads, kMostWorkersRead), sample);
      }
      if (!subject_.served_by_others()) add_scheduling(sample);
    }
    return sample;
  }

  // Adds the memory that the primitive uses, after all workers have left.
  void add_costs(Sample& sample) {
    sample.false_conflicts = subject_.false_conflicts();
    sample.lock_bytes = subject_.lock_bytes();
    if (const std::optional<ServiceUse> use = subject_.service_use()) add_service(*use, sample);
    sample.peak_rss_bytes = peak_rss_bytes();
    if (const std::optional<KeyBytes> bytes = subject_.key_bytes()) {
      sample.key_bytes_live = bytes->live;
      sample.key_bytes_idle = bytes->idle;
    }
    if (cell_.pinning != "none") {
      sample.pinning_held = std::all_of(reports_.begin(), reports_.end(),
                                        [](const ThreadReport& r) { return r.pinning_held; });
    }
  }

  static void add_service(const ServiceUse& use, Sample& sample) {
    if (use.acquisitions != 0) {
      const auto acquisitions = static_cast<double>(use.acquisitions);
      sample.round_trips = static_cast<double>(use.round_trips) / acquisitions;
      // A lock that counts them has sent some.
      if (use.bytes_sent != 0) {
        sample.bytes_sent = static_cast<double>(use.bytes_sent) / acquisitions;
        sample.bytes_received = static_cast<double>(use.bytes_received) / acquisitions;
      }
    }
    sample.reconnects = use.reconnects;
    sample.renewals = use.renewals;
    // A server that reports it has used some.
    if (use.server_cpu_s > 0) sample.server_cpu_s = use.server_cpu_s;
  }

  // Adds how much processor time the workers were denied, after all workers have left.
  void add_scheduling(Sample& sample) {
    std::vector<WorkerShare> used;
    for (std::size_t i = 0; i < entered_.size(); ++i) {
      const auto share =
          share_between(entered_[i], workers_[worker_read(i)].left, *sample.window_s);
      if (share) used.push_back(*share);
    }
    if (used.size() != entered_.size()) return;
    const WindowOfWorkers window{.workers = cell_.threads,
                                 .processors = usable_processors(),
                                 .window_s = *sample.window_s,
                                 .process_s = *sample.cpu_user_s + *sample.cpu_system_s,
                                 .used = used};
    sample.run_delay_share = run_delay_share(window);
    sample.denied_cpu_share = denied_cpu_share(window);
  }

  // Threads may still be inside, so nothing that they use may be destroyed.
  bool threads_left() const { return group_->outlives_trial(); }

 private:
  static std::unique_ptr<WorkerGroup> group_for(const Subject& subject, const Cell& cell) {
    if (subject.runs_processes()) return std::make_unique<ProcessWorkers>(cell.threads);
    return std::make_unique<ThreadWorkers>();
  }

  bool start_threads(Sample& sample) {
    const absl::StatusOr<std::vector<int>> processors =
        processors_for(cell_.pinning, cell_.threads, placed_.processors);
    if (!processors.ok()) return fail(sample, std::string(processors.status().message()));
    if (*processors == placed_.processors) ranks_ = placed_.ranks;
    for (std::uint32_t i = 0; i < cell_.threads; ++i) {
      const int processor = processors->empty() ? kAnyProcessor : (*processors)[i];
      reports_[i].own_process = subject_.runs_processes();
      reports_[i].on_slow_core = !ranks_.empty() && ranks_[i] != 0;
      const std::string failure =
          group_->start(processor, [this, i, processor] { work(i, processor); });
      if (!failure.empty()) {
        return fail(sample, "thread " + std::to_string(i + 1) + " of " +
                                std::to_string(cell_.threads) +
                                " could not be started: " + failure);
      }
    }
    begun_ = platform::now();
    return true;
  }

  // Runs on thread `i`. It checks that the thread runs on the processor that it is bound to.
  void work(std::uint32_t i, int processor) {
    const bool anywhere = processor == kAnyProcessor;
    const bool held_at_start = anywhere || sched_getcpu() == processor;
    workers_[i].id = WorkerId::of_caller(reports_[i].own_process);
    subject_.work(i, phases_, reports_[i]);
    workers_[i].left = Scheduled::now(workers_[i].id);
    reports_[i].pinning_held = held_at_start && (anywhere || sched_getcpu() == processor);
  }

  static bool fail(Sample& sample, std::string reason) {
    sample.outcome = Outcome::kFailed;
    sample.reason = std::move(reason);
    return false;
  }

  // Waits until every thread has started: in the loop if the trial ends by time, else at the gate.
  bool gather(Sample& sample) {
    if (cell_.mode != Mode::kTimed) return await_all(phases_.arrived(), "starting", sample);
    std::this_thread::sleep_for(cell_.warmup);
    return await_all(phases_.arrived(), "warming up", sample);
  }

  bool measure(Sample& sample) {
    opened_ = platform::now();
    if (cell_.mode == Mode::kOpen) opened_ += cell_.warmup;
    phases_.set_opening(opened_);
    if (cell_.mode == Mode::kOpen) {
      phases_.move_to(TrialPhases::kMeasure);
      std::this_thread::sleep_until(opened_);
    }
    if (cell_.count_events) events_.emplace(tasks());
    std::vector<Scheduled> entered = workers_now();
    const std::optional<Throttling> throttled_before = cgroup_throttling();
    const Usage before = Usage::now();
    const std::optional<ProcessorUse> all_before = ProcessorUse::now(processors_);
    if (events_) events_->start();
    if (cell_.mode != Mode::kOpen) {
      opened_ = platform::now();
      phases_.set_opening(opened_);
      phases_.move_to(TrialPhases::kMeasure);
    }
    if (cell_.mode != Mode::kFixed) {
      std::this_thread::sleep_until(opened_ + cell_.window);
      phases_.set_closing(platform::now());
      phases_.move_to(TrialPhases::kStop);
    }
    // At the end of fixed work, some threads may have ended already; their counts stay.
    if (!await_all(phases_.finished(), "measuring", sample)) return false;
    if (events_) events_->stop();
    used_ = Usage::now() + used_by_processes() - before;
    add_usage(used_, sample);
    const std::optional<ProcessorUse> all_after = ProcessorUse::now(processors_);
    if (all_before && all_after) {
      add_processor_use(use_between(*all_before, *all_after), sample);
    }
    add_throttling(throttled_before, cgroup_throttling(), sample);
    entered_ = std::move(entered);
    return true;
  }

  // Sleeps until all threads have counted themselves in `counter`. Returns false if they do not
  // arrive; `sample` then says why.
  bool await_all(platform::SharedWord& counter, const std::string& phase, Sample& sample) {
    StallWatch watch(seconds(cell_.stall_limit));
    StarvationWatch starvation;
    for (;;) {
      // acquire: synchronizes with TrialPhases::count_one().
      const std::uint32_t seen = counter.load(std::memory_order_acquire);
      if (seen == cell_.threads) return true;
      if (const std::optional<WorkerFailure> failure = group_->failure()) {
        sample.outcome = failure->service_lost ? Outcome::kServiceLost : Outcome::kCrashed;
        sample.reason = failure->reason;
        return false;
      }
      const platform::Time now = platform::now();
      const platform::Duration since_begun = now - begun_;
      const std::vector<ThreadProgress> threads = progress();
      starvation.look(seconds(since_begun), threads);
      if (watch.stalled(seconds(since_begun), seen + attempts_of(threads))) {
        sample.outcome = Outcome::kDeadlock;
        sample.reason = "no thread ended an operation for " + in_seconds(cell_.stall_limit) +
                        " while " + phase + "; " + threads_at_work();
        return false;
      }
      if (cell_.time_limit.count() > 0 && since_begun > cell_.time_limit) {
        sample.outcome = Outcome::kTimeout;
        sample.reason =
            "still " + phase + " after " + in_seconds(cell_.time_limit) + "; " + threads_at_work();
        judge_starvation(starvation, sample);
        return false;
      }
      platform::shared_futex_wait(counter, seen, now + kLook);
    }
  }

  // The worker that is read as number `i`; at most kMostWorkersRead workers are read.
  std::size_t worker_read(std::size_t i) const {
    return i * cell_.threads / std::min(cell_.threads, kMostWorkersRead);
  }

  std::vector<Scheduled> workers_now() const {
    std::vector<Scheduled> readings;
    for (std::size_t i = 0; i < std::min(cell_.threads, kMostWorkersRead); ++i) {
      readings.push_back(Scheduled::now(workers_[worker_read(i)].id));
    }
    return readings;
  }

  // The resource use of workers that are processes, in their windows. The use of threads is part of
  // that of this process.
  Usage used_by_processes() const {
    Usage sum;
    for (const ThreadReport& report : reports_) sum = sum + report.used;
    return sum;
  }

  std::vector<pid_t> tasks() const {
    std::vector<pid_t> read;
    for (std::size_t i = 0; i < std::min(cell_.threads, kMostWorkersRead); ++i) {
      read.push_back(workers_[worker_read(i)].id.task);
    }
    return read;
  }

  // relaxed: only for the judgement of a trial that does not end.
  std::vector<ThreadProgress> progress() const {
    std::vector<ThreadProgress> found;
    for (const ThreadReport& report : reports_) {
      found.push_back({.in_loop = report.begun.load(std::memory_order_relaxed) &&
                                  report.at_work.load(std::memory_order_relaxed),
                       .attempts = report.attempts.load(std::memory_order_relaxed)});
    }
    return found;
  }

  static std::uint64_t attempts_of(const std::vector<ThreadProgress>& threads) {
    std::uint64_t sum = 0;
    for (const ThreadProgress& thread : threads) sum += thread.attempts;
    return sum;
  }

  // A trial that did not end in time for the sake of a thread that did not get the lock.
  void judge_starvation(const StarvationWatch& watch, Sample& sample) const {
    const Nanoseconds least = least_starvation(cell_);
    const std::optional<StarvationWatch::Starved> starved = watch.longest();
    if (!starved || least == Nanoseconds{0} || starved->seconds < seconds(least)) return;
    sample.outcome = Outcome::kStarved;
    sample.starved_s = starved->seconds;
    sample.reason = "a thread did not get the lock for at least " +
                    in_seconds(Nanoseconds{std::llround(starved->seconds * 1e9)}) +
                    ", in which the others ended " + std::to_string(starved->others) +
                    (starved->others == 1 ? " operation; " : " operations; ") + sample.reason;
  }

  // "inside an operation: threads 0, 1, 2 and 7 more, of 10".
  std::string threads_at_work() const {
    constexpr std::size_t kNamed = 8;
    std::string names;
    std::size_t at_work = 0;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      if (!reports_[i].at_work.load(std::memory_order_relaxed)) continue;  // relaxed: a message
      if (++at_work > kNamed) continue;
      names += (names.empty() ? "" : ", ") + std::to_string(i);
    }
    if (at_work > kNamed) names += " and " + std::to_string(at_work - kNamed) + " more";
    return "inside an operation: threads " + names + ", of " + std::to_string(cell_.threads);
  }

  const Cell cell_;
  Subject& subject_;
  const Placement placed_;  // by the caller
  std::vector<int>
      ranks_;  // of the workers' kinds of core, where they are as the caller placed them
  platform::SharedArray<TrialPhases> shared_phases_;
  TrialPhases& phases_;
  platform::SharedArray<ThreadReport> reports_;
  platform::SharedArray<WorkerRecord> workers_;
  const std::unique_ptr<WorkerGroup> group_;
  platform::Time begun_{};
  platform::Time opened_{};
  const std::vector<int> processors_ = allowed_processor_numbers();
  std::optional<EventCounter> events_;
  Usage used_;                      // in the window
  std::vector<Scheduled> entered_;  // what the workers had used when the window opened
};

}  // namespace

Sample run_trial(const Trial& trial, const MakeSubject& make_subject, const Placement& placed) {
  // Sleeps end within a microsecond of their time instead of the kernel's default of 50 µs. Threads
  // inherit this setting.
  prctl(PR_SET_TIMERSLACK, 1);
  std::unique_ptr<Subject> subject;
  std::unique_ptr<TrialRun> run;
  Sample sample;
  try {
    subject = make_subject();
    run = std::make_unique<TrialRun>(trial, *subject, placed);
    sample = run->run();
  } catch (const std::bad_alloc&) {
    sample = {.outcome = Outcome::kFailed,
              .reason = "not enough memory for " + std::to_string(trial.cell.threads) +
                        " threads and " + std::to_string(trial.cell.keys) + " keys"};
  } catch (const ServiceError& error) {
    sample = {.outcome = Outcome::kServiceLost, .reason = error.what()};
  } catch (const std::runtime_error& error) {  // from a workload's folder or database
    sample = {.outcome = Outcome::kFailed, .reason = error.what()};
  }
  if (run != nullptr && run->threads_left()) {
    static_cast<void>(subject.release());
    static_cast<void>(run.release());
  }
  return sample;
}

}  // namespace lockbench
