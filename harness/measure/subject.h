// SPDX-License-Identifier: Apache-2.0

// Subject: a primitive under a workload, with their types erased.
//
// One virtual call starts a thread's whole measured loop; inside, everything is compiled for the
// concrete primitive, workload and probe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/measure/key_census.h"
#include "harness/measure/operation_loop.h"
#include "harness/measure/phases.h"
#include "harness/plan/cell.h"
#include "workloads/operation.h"

namespace lockbench {

class Subject {
 public:
  virtual ~Subject() = default;

  // The whole life of worker number `thread`: warms up, meets, measures, leaves.
  virtual void work(std::uint32_t thread, TrialPhases& phases, ThreadReport& report) = 0;

  // When all workers have left.
  virtual Proof prove() = 0;

  // Workers are processes: work() runs in a child that shares what the workload says it shares.
  virtual bool runs_processes() const { return false; }

  // Processes that are not the trial's, such as a database server, work for it: what others use is
  // then no interference.
  virtual bool served_by_others() const { return false; }

  virtual std::optional<HoldBound> hold_bound() const = 0;
  virtual std::uint32_t capacity() const = 0;
  virtual std::size_t lock_bytes() const = 0;

  // Of the waits that were watched, the share in which the lock was held for another key; absent
  // where nobody watched.
  virtual std::optional<double> false_conflicts() const = 0;

  // What a key costs; absent where the primitive has no lock per key. When all workers have left.
  virtual std::optional<KeyBytes> key_bytes() = 0;
};

// What is the same for every primitive and workload: compiled once.
class LoopingSubject : public Subject {
 public:
  ~LoopingSubject() override;

  void work(std::uint32_t thread, TrialPhases& phases, ThreadReport& report) override;

 protected:
  explicit LoopingSubject(const Trial& trial);

  // Called by the worker's own thread.
  virtual std::unique_ptr<OperationLoop> make_loop(std::uint32_t thread, ThreadReport& report) = 0;

  const Trial trial_;
  const SpinPace pace_;
  std::vector<std::unique_ptr<OperationLoop>> loops_;  // one for each worker; null: not at work yet
};

// There are hundreds of these types: each holds only what depends on the primitive.
template <class Primitive, class Workload>
class SubjectOf final : public LoopingSubject {
 public:
  SubjectOf(const Trial& trial, const WorkloadSettings& settings,
            std::unique_ptr<Primitive> primitive)
      : LoopingSubject(trial),
        served_by_others_(served_by_others(settings)),
        primitive_(std::move(primitive)),
        workload_(*primitive_, settings, pace_) {}

  // Actors end before what they refer to.
  ~SubjectOf() override { loops_.clear(); }

  Proof prove() override { return workload_.prove(tallies()); }

  bool runs_processes() const override { return kProcesses<Workload>; }
  bool served_by_others() const override { return served_by_others_; }

  std::optional<HoldBound> hold_bound() const override { return workload_.hold_bound(); }
  std::uint32_t capacity() const override { return primitive_->capacity(); }
  std::size_t lock_bytes() const override { return primitive_->lock_bytes(); }

  std::optional<double> false_conflicts() const override {
    if constexpr (requires { workload_.false_conflicts(tallies()); }) {
      return workload_.false_conflicts(tallies());
    }
    return std::nullopt;
  }

  std::optional<KeyBytes> key_bytes() override {
    if constexpr (Primitive::kPromises.lock_per_key && CountsKeys<Primitive>) {
      return count_key_bytes<Primitive, typename Workload::KeyKind>(*primitive_);
    }
    return std::nullopt;
  }

 private:
  static bool served_by_others(const WorkloadSettings& settings) {
    if constexpr (requires { Workload::served_by_others(settings); }) {
      return Workload::served_by_others(settings);
    }
    return false;
  }

  using Loop = OperationLoopOf<typename Workload::Actor>;

  std::unique_ptr<OperationLoop> make_loop(std::uint32_t thread, ThreadReport& report) override {
    return std::unique_ptr<OperationLoop>(
        new Loop(workload_.actor(thread), trial_, thread, pace_, report));
  }

  Tallies<typename Workload::Tally> tallies() const {
    Tallies<typename Workload::Tally> all;
    if (kProcesses<Workload>) return all;  // they were in children, and went with them
    all.resize(loops_.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = &static_cast<const Loop&>(*loops_[i]).actor().tally();
    }
    return all;
  }

  const bool served_by_others_;
  const std::unique_ptr<Primitive> primitive_;
  Workload workload_;
};

}  // namespace lockbench
