// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/threads/recorded_run.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

#include "harness/kernel/processors.h"
#include "harness/petri/conformance/recorder.h"
#include "harness/petri/conformance/recording_runner.h"
#include "harness/stress/interpreter.h"
#include "harness/stress/supervision/watched_child.h"
#include "harness/stress/threads/fault_injector.h"
#include "harness/stress/trace/shared_words.h"

namespace lockbench::stress::threads {
namespace {

// The state that the process writes for its supervising process.
struct Progress {
  enum Phase : std::uint64_t { kRunning, kChecking, kDone };

  Word phase{kRunning};
  Word keys_kept{0};
  Remains remains;
};

class Run {
 public:
  Run(const RegisteredLock& entry, const RunPlan& plan, Recorder& recorder, Progress& progress)
      : plan_(plan),
        recorder_(recorder),
        progress_(progress),
        strong_try_(entry.abilities.strong_try),
        lock_(entry.make(plan.program.keys())) {}

  void run() {
    const auto count = static_cast<std::uint32_t>(plan_.program.threads.size());
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < count; ++i) threads.emplace_back([this, i] { run_thread(i); });
    // relaxed: only the number of started threads is read.
    while (there_.load(std::memory_order_relaxed) != count) sched_yield();
    go_.store(true, std::memory_order_release);  // (1) publishes the run to (2)
    for (std::thread& thread : threads) thread.join();
    put(progress_.phase, Progress::kChecking);
    put(progress_.keys_kept, lock_->keys_kept().value_or(0));
    progress_.remains.look_at(*lock_, plan_.program.keys(), strong_try_);
    put(progress_.phase, Progress::kDone);
  }

 private:
  // Spreads the threads over the processors at their start. Otherwise they may share one processor
  // for most of a run.
  void run_thread(std::uint32_t number) {
    if (!processors_.empty()) bind_to(0, {processors_[number % processors_.size()]});
    there_.fetch_add(1, std::memory_order_relaxed);
    while (!go_.load(std::memory_order_acquire)) sched_yield();  // (2) synchronizes with (1)
    bind_to(0, processors_);
    RecordingRunner runner(recorder_, number, plan_.yields, plan_.seed);
    Interpreter interpreter(runner, *lock_, plan_.program.threads[number], number);
    for (std::uint32_t i = 0; i < plan_.passes; ++i) interpreter.run();
  }

  const RunPlan& plan_;
  Recorder& recorder_;
  Progress& progress_;
  const bool strong_try_;
  const std::unique_ptr<LockUnderTest> lock_;
  const std::vector<int> processors_ = allowed_processor_numbers();
  std::atomic<std::uint32_t> there_{0};
  std::atomic<bool> go_{false};
};

}  // namespace

RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan) {
  const auto count = static_cast<std::uint32_t>(plan.program.threads.size());
  Recorder recorder(count, plan.acts());
  const platform::SharedObject<Progress> progress;
  const ChildEnd end = watch_child([&] { Run(entry, plan, recorder, *progress).run(); },
                                   [&] { return recorder.count() * 4 + get(progress->phase); });
  RecordedRun run;
  run.trace.events = recorder.events();
  if (end.stalled && get(progress->phase) == Progress::kRunning) {
    run.trace.end = Trace::kStuck;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const auto request = recorder.pending(i)) run.trace.waits.push_back(*request);
    }
  } else if (get(progress->phase) == Progress::kDone) {
    progress->remains.tell(run.trace);
    if (entry.abilities.reclaims) run.trace.keys_kept = get(progress->keys_kept);
  } else {
    run.ended_badly =
        end.stalled ? "a call on a lock that no thread uses did not return" : end.says;
  }
  return run;
}

}  // namespace lockbench::stress::threads
