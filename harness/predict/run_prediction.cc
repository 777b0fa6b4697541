// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/run_prediction.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/machine/simulation.h"
#include "harness/measure/conclude.h"
#include "harness/measure/phases.h"
#include "harness/measure/subject.h"
#include "harness/measure/workload_settings.h"
#include "harness/plan/spelling.h"
#include "harness/predict/predicted_lock.h"
#include "harness/predict/program_memory.h"
#include "harness/predict/registry.h"
#include "workloads/accounts.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"
#include "workloads/nested.h"

namespace lockbench::predict {
namespace {

using machine::MachineModel;
using machine::Picoseconds;
using machine::Simulation;

// After this many accesses, a trial whose window has ended counts as one that does not end.
constexpr std::uint64_t kMostAccesses = 400'000'000;

using LockOwner = std::unique_ptr<stress::LockUnderTest>;

template <LockKind kKind, template <class, class> class Workload>
std::unique_ptr<Subject> subject_of(const Trial& trial, LockOwner lock) {
  using Lock = PredictedLock<kKind>;
  return std::unique_ptr<Subject>(new SubjectOf<Lock, Workload<Lock, std::uint64_t>>(
      trial, workload_settings(trial), std::make_unique<Lock>(std::move(lock), trial.seed)));
}

template <class P, class K>
using PlainNested = Nested<P, K>;

using SubjectMaker = std::unique_ptr<Subject> (*)(const Trial&, LockOwner);

const std::map<std::pair<LockKind, std::string>, SubjectMaker>& subject_makers() {
  using enum LockKind;
  static const std::map<std::pair<LockKind, std::string>, SubjectMaker> makers{
      {{kExclusive, "counter"}, subject_of<kExclusive, Counter>},
      {{kExclusive, "accounts"}, subject_of<kExclusive, Accounts>},
      {{kReentrant, "counter"}, subject_of<kReentrant, Counter>},
      {{kReentrant, "accounts"}, subject_of<kReentrant, Accounts>},
      {{kReentrant, "nested"}, subject_of<kReentrant, PlainNested>},
      {{kLeases, "checkout"}, subject_of<kLeases, Checkout>},
  };
  return makers;
}

absl::StatusOr<std::unique_ptr<Subject>> make_subject(const Trial& trial) {
  const RegisteredLock* const lock = find_registered(trial.cell.primitive);
  if (lock == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrFormat("primitive '%s' cannot be predicted", to_text(trial.cell.primitive)));
  }
  const auto& makers = subject_makers();
  const auto maker = makers.find({lock->kind, trial.cell.workload.name});
  if (maker == makers.end()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("workload '%s' with primitive '%s' cannot be predicted",
                        trial.cell.workload.name, lock->spec.name));
  }
  return maker->second(trial, lock->make(trial.cell));
}

Simulation::Placement placement_of(const std::string& pinning) {
  if (pinning == "compact") return Simulation::Placement::kCompact;
  if (pinning == "scatter") return Simulation::Placement::kScatter;
  if (pinning == "one-core") return Simulation::Placement::kOneCore;
  return Simulation::Placement::kCores;
}

class PredictedTrial {
 public:
  PredictedTrial(const Trial& trial, const MachineModel& model, Subject& subject)
      : cell_(trial.cell),
        subject_(subject),
        simulation_(model, placement_of(cell_.pinning)),
        phases_(cell_.threads,
                cell_.mode == Mode::kTimed ? TrialPhases::kWarmup : TrialPhases::kMeasure),
        reports_(new ThreadReport[cell_.threads]) {}

  Sample run() {
    simulation_.allow_accesses(kMostAccesses);
    for (std::uint32_t i = 0; i < cell_.threads; ++i) {
      simulation_.start([this, i] { subject_.work(i, phases_, reports_[i]); }, stack_memory());
    }
    if (cell_.mode == Mode::kTimed) {
      simulation_.at(picoseconds(cell_.warmup), [this] { open_window(); });
      simulation_.after_accesses(kWindowAccesses / 8, [this] { open_window(); });
    } else if (cell_.mode == Mode::kOpen) {
      opened_ = platform::Time(cell_.warmup);
      phases_.set_opening(opened_);
    }
    const Simulation::End end = simulation_.run();
    return end == Simulation::End::kFinished ? concluded() : unfinished(end);
  }

 private:
  static Picoseconds picoseconds(Nanoseconds duration) {
    return duration.count() * machine::kPerNanosecond;
  }

  Nanoseconds virtual_time() const {
    return Nanoseconds(simulation_.time() / machine::kPerNanosecond);
  }

  // Called when the time of the warm-up is over and when its accesses are made; the first counts.
  void open_window() {
    if (!phases_.in(TrialPhases::kWarmup)) return;
    opened_ = platform::Time(virtual_time());
    before_ = simulation_.counts();
    phases_.move_to(TrialPhases::kMeasure);
    const auto stop = [this] { phases_.move_to(TrialPhases::kStop); };
    simulation_.at(simulation_.time() + picoseconds(cell_.window), stop);
    simulation_.after_accesses(kWindowAccesses, stop);
  }

  Sample concluded() {
    Sample sample;
    conclude({.cell = cell_,
              .opened = opened_,
              .reports = {reports_.get(), cell_.threads},
              .proof = subject_.prove(),
              .hold_bound = cell_.mode == Mode::kFixed ? subject_.hold_bound() : std::nullopt,
              .capacity = subject_.capacity(),
              .processors = simulation_.model().processors()},
             sample);
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
  Subject& subject_;
  Simulation simulation_;
  TrialPhases phases_;
  const std::unique_ptr<ThreadReport[]> reports_;
  platform::Time opened_{};
  Simulation::Counts before_;
};

}  // namespace

absl::StatusOr<Sample> run_prediction(const Trial& trial, const MachineModel& model) {
  if (trial.cell.key_type != KeyType::kU64) {
    return absl::InvalidArgumentError("keys of type string cannot be predicted; take u64");
  }
  absl::StatusOr<std::unique_ptr<Subject>> subject = make_subject(trial);
  if (!subject.ok()) return subject.status();
  return PredictedTrial(trial, model, **subject).run();
}

}  // namespace lockbench::predict
