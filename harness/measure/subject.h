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

#include "harness/measure/course.h"
#include "harness/measure/key_census.h"
#include "harness/measure/operation_loop.h"
#include "harness/plan/cell.h"
#include "workloads/operation.h"

namespace lockbench {

class Subject {
 public:
  virtual ~Subject() = default;

  // The whole life of worker number `thread`: warms up, meets, measures, leaves.
  virtual void work(std::uint32_t thread, Course& course, ThreadReport& report) = 0;

  // When all workers have left.
  virtual Proof prove() = 0;

  // Workers are processes: work() runs in a child that shares what the workload says it shares.
  virtual bool runs_processes() const { return false; }

  virtual std::optional<HoldBound> hold_bound() const = 0;
  virtual std::uint32_t capacity() const = 0;
  virtual std::size_t lock_bytes() const = 0;

  // Of the waits that were watched, the share in which the lock was held for another key; absent
  // where nobody watched.
  virtual std::optional<double> false_conflicts() const = 0;

  // What a key costs; absent where the primitive has no lock per key. When all workers have left.
  virtual std::optional<KeyBytes> key_bytes() = 0;
};

template <class Primitive, class Workload>
class SubjectOf final : public Subject {
 public:
  SubjectOf(const Trial& trial, const WorkloadSettings& settings,
            std::unique_ptr<Primitive> primitive)
      : trial_(trial),
        pace_(SpinPace::measure()),
        primitive_(std::move(primitive)),
        workload_(*primitive_, settings, pace_),
        actors_(trial.cell.threads) {}

  void work(std::uint32_t thread, Course& course, ThreadReport& report) override {
    auto& own = actors_[thread];
    own = std::make_unique<Seat>(workload_.actor(thread));
    OperationLoopOf(own->actor, trial_, thread, pace_, report).run(course);
    course.leave();
  }

  Proof prove() override { return workload_.prove(actors()); }

  bool runs_processes() const override { return kProcesses<Workload>; }

  std::optional<HoldBound> hold_bound() const override { return workload_.hold_bound(); }
  std::uint32_t capacity() const override { return primitive_->capacity(); }
  std::size_t lock_bytes() const override { return primitive_->lock_bytes(); }

  std::optional<double> false_conflicts() const override {
    if constexpr (requires { workload_.false_conflicts(actors()); }) {
      return workload_.false_conflicts(actors());
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
  std::vector<const typename Workload::Actor*> actors() const {
    std::vector<const typename Workload::Actor*> actors;
    if (kProcesses<Workload>) return actors;  // they were in children, and went with them
    for (const auto& seat : actors_) actors.push_back(&seat->actor);
    return actors;
  }

  // No two threads' actors share a cache line.
  struct alignas(platform::kCacheLine) Seat {
    explicit Seat(typename Workload::Actor a) : actor(std::move(a)) {}
    typename Workload::Actor actor;
  };

  const Trial trial_;
  const SpinPace pace_;
  const std::unique_ptr<Primitive> primitive_;
  Workload workload_;
  std::vector<std::unique_ptr<Seat>> actors_;
};

}  // namespace lockbench
