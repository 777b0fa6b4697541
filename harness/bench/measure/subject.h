// SPDX-License-Identifier: Apache-2.0

// Subject: a primitive with a workload, with their types erased.
//
// One virtual call starts the whole measured loop of a thread. Inside, everything is compiled for
// the concrete primitive, workload and probe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/bench/measure/key_census.h"
#include "harness/bench/measure/operation_loop.h"
#include "harness/bench/measure/phases.h"
#include "harness/bench/plan/cell.h"
#include "primitives/service.h"
#include "workloads/operation.h"

namespace lockbench {

class Subject {
 public:
  virtual ~Subject() = default;

  // Everything that worker number `thread` does: warms up, waits for the others, measures, leaves.
  virtual void work(std::uint32_t thread, TrialPhases& phases, ThreadReport& report) = 0;

  // Called after all workers have left.
  virtual Proof prove() = 0;

  // An operation holds one key, once.
  virtual bool holds_once() const { return true; }

  // One reading of the clock, which a timed hold contains.
  virtual double clock_ns() const { return 0; }

  // Workers are processes: work() runs in a child process, which shares the memory that the
  // workload shares.
  virtual bool runs_processes() const { return false; }

  // Processes that do not belong to the trial, for example a database server, work for it. The
  // processor time of other processes is then no interference.
  virtual bool served_by_others() const { return false; }

  virtual std::optional<HoldBound> hold_bound() const = 0;
  virtual std::uint32_t capacity() const = 0;
  // Absent if the locks are at a service, whose memory it is.
  virtual std::optional<std::size_t> lock_bytes() const = 0;

  // The requests of the primitive to its service; absent if it uses none. Called after all workers
  // have left.
  virtual std::optional<ServiceUse> service_use() = 0;

  // The share of the sampled waits in which the lock was held for another key; absent if conflicts
  // were not watched.
  virtual std::optional<double> false_conflicts() const = 0;

  // The memory of a key; absent if the primitive has no lock per key. Called after all workers have
  // left.
  virtual std::optional<KeyBytes> key_bytes() = 0;
};

// The part that is the same for every primitive and workload; it is compiled once.
class LoopingSubject : public Subject {
 public:
  ~LoopingSubject() override;

  void work(std::uint32_t thread, TrialPhases& phases, ThreadReport& report) override;
  double clock_ns() const override { return pace_.clock_ns; }

 protected:
  explicit LoopingSubject(const Trial& trial);

  // Called in a worker that is a process, at its end: keeps its counts for prove().
  virtual void save_tally(std::uint32_t thread) = 0;

  // Called by the worker's own thread.
  virtual std::unique_ptr<OperationLoop> make_loop(std::uint32_t thread, ThreadReport& report) = 0;

  const Trial trial_;
  const SpinPace pace_;
  std::vector<std::unique_ptr<OperationLoop>> loops_;  // one per worker; null: not started yet
};

// There are hundreds of these types, so each contains only what depends on the primitive. What is
// not the loop runs once in a trial and is marked cold: it is compiled for size, which is quicker.
template <class Primitive, class Workload>
class SubjectOf final : public LoopingSubject {
 public:
  [[gnu::cold]] SubjectOf(const Trial& trial, const WorkloadSettings& settings,
                          std::unique_ptr<Primitive> primitive)
      : LoopingSubject(trial),
        served_by_others_(served_by_others(settings)),
        runs_processes_(lockbench::runs_processes<Workload>(settings)),
        primitive_(std::move(primitive)),
        workload_(*primitive_, settings, pace_) {}

  // Actors are destroyed before the objects that they refer to.
  [[gnu::cold]] ~SubjectOf() override { loops_.clear(); }

  [[gnu::cold]] Proof prove() override { return workload_.prove(tallies()); }

  bool holds_once() const override {
    return !requires {
      Workload::kAcquisitions;
    }
    &&!requires {
      Workload::kKeysPerOperation;
    };
  }

  bool runs_processes() const override { return runs_processes_; }
  bool served_by_others() const override { return served_by_others_; }

  [[gnu::cold]] std::optional<HoldBound> hold_bound() const override {
    return workload_.hold_bound();
  }
  std::uint32_t capacity() const override { return primitive_->capacity(); }
  [[gnu::cold]] std::optional<std::size_t> lock_bytes() const override {
    if (kAtService) return std::nullopt;
    return primitive_->lock_bytes();
  }

  [[gnu::cold]] std::optional<ServiceUse> service_use() override {
    if constexpr (ServiceLock<Primitive, typename Workload::KeyKind>) {
      return primitive_->service_use();
    }
    return std::nullopt;
  }

  [[gnu::cold]] std::optional<double> false_conflicts() const override {
    if constexpr (requires { workload_.false_conflicts(tallies()); }) {
      return workload_.false_conflicts(tallies());
    }
    return std::nullopt;
  }

  [[gnu::cold]] std::optional<KeyBytes> key_bytes() override {
    if constexpr (Primitive::kPromises.lock_per_key && CountsKeys<Primitive>) {
      return count_key_bytes<Primitive, typename Workload::KeyKind>(*primitive_);
    }
    return std::nullopt;
  }

 private:
  static constexpr bool kAtService = Primitive::kPromises.scope == Scope::kService;

  static bool served_by_others(const WorkloadSettings& settings) {
    if (kAtService) return true;
    if constexpr (requires { Workload::served_by_others(settings); }) {
      return Workload::served_by_others(settings);
    }
    return false;
  }

  using Loop = OperationLoopOf<typename Workload::Actor>;

  [[gnu::cold]] void save_tally([[maybe_unused]] std::uint32_t thread) override {
    if constexpr (requires(const typename Workload::Tally& tally) {
                    workload_.save(thread, tally);
                  }) {
      workload_.save(thread, static_cast<const Loop&>(*loops_[thread]).actor().tally());
    }
  }

  [[gnu::cold]] std::unique_ptr<OperationLoop> make_loop(std::uint32_t thread,
                                                         ThreadReport& report) override {
    return std::unique_ptr<OperationLoop>(
        new Loop(workload_.actor(thread), trial_, thread, pace_, report));
  }

  [[gnu::cold]] Tallies<typename Workload::Tally> tallies() const {
    Tallies<typename Workload::Tally> all;
    if (runs_processes_) return all;  // they were in child processes, which have ended
    all.resize(loops_.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = &static_cast<const Loop&>(*loops_[i]).actor().tally();
    }
    return all;
  }

  const bool served_by_others_;
  const bool runs_processes_;
  const std::unique_ptr<Primitive> primitive_;
  Workload workload_;
};

}  // namespace lockbench
