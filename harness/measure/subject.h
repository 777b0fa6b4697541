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
#include "harness/measure/probe.h"
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

  virtual std::optional<HoldBound> hold_bound() const = 0;
  virtual std::uint32_t capacity() const = 0;
  virtual std::size_t lock_bytes() const = 0;
};

// One worker's loop over the operations of its actor.
template <class Actor>
class OperationLoop {
 public:
  OperationLoop(Actor& actor, const Trial& trial, std::uint32_t thread, const SpinPace& pace,
                ThreadReport& report)
      : actor_(actor),
        report_(report),
        sampler_(trial.cell.sample_every, derive_seed(trial.seed, ~std::uint64_t{thread})),
        think_(trial.cell.think, pace),
        scratch_(think_.lines()) {}

  void warm_up(const Course& course) {
    while (course.in(Course::kWarmup)) step(kUnwatched);
  }

  void measure(const Course& course, const Cell& cell) {
    const std::uint64_t attempts_before = attempts_;
    const std::uint64_t failed_before = failed_;
    const std::uint64_t given_up_before = actor_.given_up();
    report_.started = platform::now();
    if (cell.mode == Mode::kFixed) {
      for (std::uint64_t i = 0; i < cell.operations; ++i) step(kWatched);
    } else {
      while (course.in(Course::kMeasure)) step(kWatched);
    }
    report_.ended = platform::now();
    report_.operations = (attempts_ - attempts_before) - (failed_ - failed_before);
    report_.given_up = actor_.given_up() - given_up_before;
  }

 private:
  static constexpr bool kWatched = true;
  static constexpr bool kUnwatched = false;

  void step(bool watched) {
    bool done;
    if (watched && sampler_.due()) [[unlikely]] {
      TimedProbe probe(report_.wait, report_.hold);
      done = actor_.operate(probe);
    } else {
      UntimedProbe probe;
      done = actor_.operate(probe);
    }
    if (!done) [[unlikely]]
      ++failed_;
    // relaxed: a progress report, nothing is published by it.
    report_.attempts.store(++attempts_, std::memory_order_relaxed);
    think_.perform(scratch_.data());
  }

  Actor& actor_;
  ThreadReport& report_;
  Sampler sampler_;
  Worker think_;
  std::vector<CacheLine> scratch_;
  std::uint64_t attempts_ = 0;
  std::uint64_t failed_ = 0;
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
    OperationLoop loop(own->actor, trial_, thread, pace_, report);
    loop.warm_up(course);
    // relaxed: for people who ask which threads do not come.
    report.at_work.store(false, std::memory_order_relaxed);
    course.meet();
    report.at_work.store(true, std::memory_order_relaxed);
    loop.measure(course, trial_.cell);
    report.at_work.store(false, std::memory_order_relaxed);
    course.leave();
  }

  Proof prove() override {
    std::vector<const typename Workload::Actor*> actors;
    for (const auto& seat : actors_) actors.push_back(&seat->actor);
    return workload_.prove(actors);
  }

  std::optional<HoldBound> hold_bound() const override { return workload_.hold_bound(); }
  std::uint32_t capacity() const override { return primitive_->capacity(); }
  std::size_t lock_bytes() const override { return primitive_->lock_bytes(); }

 private:
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
