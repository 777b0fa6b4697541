// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/trial/run_prediction.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/strings/str_format.h>

#include "harness/bench/measure/conclude.h"
#include "harness/bench/measure/phases.h"
#include "harness/bench/measure/placement.h"
#include "harness/bench/measure/subject.h"
#include "harness/bench/measure/workload_settings.h"
#include "harness/bench/plan/spelling.h"
#include "harness/predict/machine/model_processors.h"
#include "harness/predict/machine/simulation.h"
#include "harness/predict/trial/predicted_lock.h"
#include "harness/predict/trial/program_memory.h"
#include "harness/predict/trial/registry.h"
#include "harness/predict/trial/threads_of_locks.h"
#include "workloads/accounts.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"
#include "workloads/nested.h"
#include "workloads/read_mostly.h"

namespace lockbench::predict {
namespace {

using machine::MachineModel;
using machine::Picoseconds;
using machine::Simulation;

// After this many accesses, a trial whose window has ended counts as one that does not end.
constexpr std::uint64_t kMostAccesses = 400'000'000;

using LockOwner = std::unique_ptr<PredictableLock>;
using SubjectMaker = std::unique_ptr<Subject> (*)(const Trial&, LockOwner);

template <LockKind kKind, template <class, class> class Workload, class K>
std::unique_ptr<Subject> subject_of(const Trial& trial, LockOwner lock) {
  using Lock = PredictedLock<kKind>;
  return std::unique_ptr<Subject>(new SubjectOf<Lock, Workload<Lock, K>>(
      trial, workload_settings(trial), std::make_unique<Lock>(std::move(lock), trial.seed)));
}

template <class P, class K>
using PlainNested = Nested<P, K>;

template <LockKind kKind, template <class, class> class Workload>
SubjectMaker maker_for(KeyType key_type) {
  return key_type == KeyType::kU64 ? subject_of<kKind, Workload, std::uint64_t>
                                   : subject_of<kKind, Workload, std::string_view>;
}

// Null if the workload is not predicted with such a lock. A workload that does not use what is
// particular to the kind sees a lock that is exclusive, so that fewer are compiled.
SubjectMaker subject_maker(LockKind kind, const std::string& workload, KeyType key_type) {
  using enum LockKind;
  const std::vector<std::string_view> predicted = predicted_workloads(kind);
  if (std::find(predicted.begin(), predicted.end(), workload) == predicted.end()) return nullptr;
  const bool fenced = kind == kFenced;
  if (workload == "checkout") return maker_for<kLeases, Checkout>(key_type);
  if (workload == "nested") return maker_for<kReentrant, PlainNested>(key_type);
  if (workload == "read_mostly") {
    return kind == kShared ? maker_for<kShared, ReadMostly>(key_type)
                           : maker_for<kExclusive, ReadMostly>(key_type);
  }
  if (workload == "accounts") {
    return fenced ? maker_for<kFenced, Accounts>(key_type)
                  : maker_for<kExclusive, Accounts>(key_type);
  }
  if (workload == "counter") {
    return fenced ? maker_for<kFenced, Counter>(key_type)
                  : maker_for<kExclusive, Counter>(key_type);
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Subject>> make_subject(const Trial& trial) {
  const Cell& cell = trial.cell;
  const RegisteredLock* const lock = find_registered(cell.primitive, cell.key_type);
  if (lock == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrFormat("primitive '%s' cannot be predicted", to_text(cell.primitive)));
  }
  const SubjectMaker maker = subject_maker(lock->kind, cell.workload.name, cell.key_type);
  if (maker == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrFormat("workload '%s' with primitive '%s' cannot be predicted", cell.workload.name,
                        lock->spec.name));
  }
  return maker(trial, lock->make(cell));
}

// The processor of each thread; empty if they are not bound. The first are those of the workers,
// and the others those of threads that a lock has for itself.
absl::StatusOr<std::vector<int>> bound_processors(const Cell& cell, const MachineModel& model) {
  const std::uint32_t enough = std::max(cell.threads, model.processors());
  return place_threads(cell.pinning, enough, machine::processors_of(model));
}

// The ranks of the workers' kinds of core.
std::vector<int> ranks_of_workers(std::vector<int> bound, const Cell& cell,
                                  const MachineModel& model) {
  if (!bound.empty()) bound.resize(cell.threads);
  return ranks_of(bound, machine::processors_of(model));
}

class PredictedTrial {
 public:
  PredictedTrial(const Trial& trial, const MachineModel& model, const std::vector<int>& bound,
                 Subject& subject)
      : cell_(trial.cell),
        seed_(trial.seed),
        subject_(subject),
        ranks_(ranks_of_workers(bound, cell_, model)),
        simulation_(model, {bound.begin(), bound.end()}),
        phases_(cell_.threads,
                cell_.mode == Mode::kTimed ? TrialPhases::kWarmup : TrialPhases::kMeasure),
        reports_(new ThreadReport[cell_.threads]),
        attempts_before_(cell_.threads) {}

  Sample run() {
    simulation_.allow_accesses(kMostAccesses);
    simulation_.vary_calls(seed_);
    for (std::uint32_t i = 0; i < cell_.threads; ++i) {
      simulation_.start([this, i] { subject_.work(i, phases_, reports_[i]); }, stack_memory());
    }
    for (std::function<void()>& body : threads_of_locks()) {
      simulation_.start(std::move(body), stack_memory(), Simulation::Role::kHelper);
    }
    if (cell_.mode == Mode::kTimed) {
      simulation_.at(picoseconds(cell_.warmup), [this] { open_window(); });
      begin_phase();
    } else if (cell_.mode == Mode::kOpen) {
      opened_ = platform::Time(cell_.warmup);
      phases_.set_opening(opened_);
    }
    const Simulation::End end = simulation_.run();
    return end == Simulation::End::kFinished ? concluded() : unfinished(end);
  }

 private:
  // The limits of the warm-up are those of the window, divided by this.
  static constexpr std::uint64_t kWarmupShare = 8;
  // How many accesses come before the operations are counted again.
  static constexpr std::uint64_t kNextLook = 50'000;

  static Picoseconds picoseconds(Nanoseconds duration) {
    return duration.count() * machine::kPerNanosecond;
  }

  Nanoseconds virtual_time() const {
    return Nanoseconds(simulation_.time() / machine::kPerNanosecond);
  }

  std::uint64_t attempts_of(std::uint32_t thread) const {
    // relaxed: the thread that calls is the one that executes all simulated threads.
    return reports_[thread].attempts.load(std::memory_order_relaxed);
  }

  // The operations of the thread that has ended fewest, in this phase.
  std::uint64_t least_operations() const {
    std::uint64_t least = attempts_of(0) - attempts_before_[0];
    for (std::uint32_t i = 1; i < cell_.threads; ++i) {
      least = std::min(least, attempts_of(i) - attempts_before_[i]);
    }
    return least;
  }

  std::uint64_t share() const { return phases_.in(TrialPhases::kWarmup) ? kWarmupShare : 1; }

  // Begins the warm-up or the window. Nothing is allocated here or later: it would move what the
  // threads, of which one calls, allocate themselves.
  void begin_phase() {
    phase_began_ = simulation_.accesses();
    for (std::uint32_t i = 0; i < cell_.threads; ++i) attempts_before_[i] = attempts_of(i);
    look_after(kWindowAccesses / share());
  }

  void look_after(std::uint64_t accesses) {
    simulation_.after_accesses(accesses, [this] { end_phase_or_go_on(); });
  }

  void end_phase_or_go_on() {
    const bool too_many = simulation_.accesses() - phase_began_ >= kMostWindowAccesses / share();
    if (!too_many && least_operations() < kWindowOperations / share()) return look_after(kNextLook);
    if (phases_.in(TrialPhases::kWarmup)) return open_window();
    close_early();
  }

  // Called when the time of the warm-up is over and when its accesses are made; the first counts.
  void open_window() {
    if (!phases_.in(TrialPhases::kWarmup)) return;
    opened_ = platform::Time(virtual_time());
    before_ = simulation_.counts();
    phases_.set_opening(opened_);
    phases_.move_to(TrialPhases::kMeasure);
    simulation_.at(simulation_.time() + picoseconds(cell_.window), [this] { close_window(); });
    begin_phase();
  }

  void close_window() {
    phases_.set_closing(platform::Time(virtual_time()));
    phases_.move_to(TrialPhases::kStop);
  }

  // The window's accesses are made. Its time may be over already.
  void close_early() {
    if (!phases_.in(TrialPhases::kMeasure)) return;
    close_window();
    const std::uint64_t least = least_operations();
    if (least < kWindowOperations) operations_at_cut_ = least;
  }

  Sample concluded() {
    Sample sample;
    conclude({.cell = cell_,
              .opened = opened_,
              .reports = {reports_.get(), cell_.threads},
              .proof = subject_.prove(),
              .hold_bound = cell_.mode == Mode::kFixed ? subject_.hold_bound() : std::nullopt,
              .capacity = subject_.capacity(),
              .processors = simulation_.model().processors(),
              .holds_once = subject_.holds_once(),
              .ranks = ranks_},
             sample);
    if (operations_at_cut_ && sample.reason.empty()) {
      sample.reason = absl::StrFormat(
          "window cut after %d accesses: a thread had done %d operations in it (wanted: %d)",
          kMostWindowAccesses, *operations_at_cut_, kWindowOperations);
    }
    const Simulation::Counts& counts = simulation_.counts();
    sample.voluntary_switches = counts.voluntary_switches - before_.voluntary_switches;
    sample.involuntary_switches = counts.involuntary_switches - before_.involuntary_switches;
    return sample;
  }

  Sample unfinished(Simulation::End end) const {
    const double virtual_us = static_cast<double>(virtual_time().count()) / 1000;
    if (end == Simulation::End::kStuck) {
      return {.outcome = Outcome::kDeadlock,
              .reason = absl::StrFormat(
                  "no thread can ever run again, after %.3f us of virtual time", virtual_us)};
    }
    return {.outcome = Outcome::kTimeout,
            .reason = absl::StrFormat("%d accesses in %.3f us of virtual time (at most %d)",
                                      simulation_.accesses(), virtual_us, kMostAccesses)};
  }

  const Cell cell_;
  const std::uint64_t seed_;
  Subject& subject_;
  const std::vector<int> ranks_;
  Simulation simulation_;
  TrialPhases phases_;
  const std::unique_ptr<ThreadReport[]> reports_;
  platform::Time opened_{};
  Simulation::Counts before_;
  std::uint64_t phase_began_ = 0;               // in accesses
  std::vector<std::uint64_t> attempts_before_;  // of each thread, when the phase began
  std::optional<std::uint64_t> operations_at_cut_;
};

}  // namespace

absl::StatusOr<Sample> run_prediction(const Trial& trial, const MachineModel& model) {
  absl::StatusOr<std::unique_ptr<Subject>> subject = make_subject(trial);
  if (!subject.ok()) return subject.status();
  const absl::StatusOr<std::vector<int>> bound = bound_processors(trial.cell, model);
  if (!bound.ok()) return bound.status();
  // Never destroyed: a thread of the lock's own may stand still inside of it.
  return PredictedTrial(trial, model, *bound, *subject->release()).run();
}

}  // namespace lockbench::predict
