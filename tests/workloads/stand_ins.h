// SPDX-License-Identifier: Apache-2.0

// Stand-ins: primitives for one thread, whose faults the test chooses, and what the tests say of a
// workload over them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/bench/measure/probe.h"
#include "primitives/concepts.h"
#include "workloads/operation.h"

namespace lockbench {

// A handle that gives up each third time it is asked with a timeout.
template <class Inner>
class ImpatientHandle {
 public:
  template <class Make>
  ImpatientHandle(std::uint64_t& asked, Make make) : asked_(asked), inner_(make()) {}
  ImpatientHandle(const ImpatientHandle&) = delete;
  ImpatientHandle& operator=(const ImpatientHandle&) = delete;

  void lock() { inner_.lock(); }
  bool try_lock() { return inner_.try_lock(); }
  void unlock() { inner_.unlock(); }
  bool try_lock_for(std::chrono::nanoseconds) { return ++asked_ % 3 != 0 && inner_.try_lock(); }
  bool try_lock_until(std::chrono::steady_clock::time_point) { return try_lock_for({}); }
  std::uint32_t lease() const requires requires(const Inner& inner) { inner.lease(); }
  { return inner_.lease(); }

 private:
  std::uint64_t& asked_;
  Inner inner_;
};

// P, with handles that give up each third time.
template <class P>
class Impatient {
 public:
  static constexpr Promises kPromises = P::kPromises;

  template <class... Arguments>
  explicit Impatient(Arguments&&... arguments) : inner_(std::forward<Arguments>(arguments)...) {}

  auto handle(std::uint64_t key) {
    const auto make = [this, key] { return inner_.handle(key); };
    return ImpatientHandle<decltype(make())>(asked_, make);
  }
  auto handle_both(std::uint64_t a, std::uint64_t b) {
    const auto make = [this, a, b] { return inner_.handle_both(a, b); };
    return ImpatientHandle<decltype(make())>(asked_, make);
  }

  std::uint32_t capacity() const { return inner_.capacity(); }
  std::size_t lock_bytes() const { return inner_.lock_bytes(); }

 private:
  P inner_;
  std::uint64_t asked_ = 0;
};

// Watches, and asks for the lock without waiting: on the one thread of a test whoever waited would
// wait for himself.
struct GlancingProbe {
  static constexpr bool kWatches = true;

  template <class Handle>
  bool acquire(Handle& handle, Nanoseconds) {
    return handle.try_lock();
  }

  template <class Handle>
  void release(Handle& handle) {
    handle.unlock();
  }
};

// A workload and its actors, all used by the thread of the test.
template <class Workload, class P>
class Stage {
 public:
  Stage(P& primitive, const WorkloadSettings& settings)
      : workload_(primitive, settings, SpinPace{}) {
    for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
      actors_.push_back(std::make_unique<typename Workload::Actor>(workload_.actor(thread)));
    }
  }

  // One operation of actor `i`.
  bool operate(std::size_t i) {
    UntimedProbe probe;
    return actors_[i]->operate(probe);
  }

  // One watched operation of actor `i`, which fails where it would have to wait.
  bool glance(std::size_t i) {
    GlancingProbe probe;
    return actors_[i]->operate(probe);
  }

  // The actors in turn, `rounds` operations each; returns how many succeeded.
  std::uint64_t operate_all(std::uint64_t rounds) {
    std::uint64_t succeeded = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < actors_.size(); ++i) succeeded += operate(i) ? 1 : 0;
    }
    return succeeded;
  }

  std::uint64_t given_up() const {
    std::uint64_t sum = 0;
    for (const auto& actor : actors_) sum += actor->given_up();
    return sum;
  }

  Proof prove() { return workload_.prove(all()); }
  std::optional<double> false_conflicts() const { return workload_.false_conflicts(all()); }

  Workload& workload() { return workload_; }

 private:
  Tallies<typename Workload::Tally> all() const {
    Tallies<typename Workload::Tally> all;
    for (const auto& actor : actors_) all.push_back(&actor->tally());
    return all;
  }

  Workload workload_;
  std::vector<std::unique_ptr<typename Workload::Actor>> actors_;
};

inline void expect_holds(const Proof& proof) {
  EXPECT_EQ(proof.lost_updates, 0u);
  EXPECT_EQ(proof.violations, 0u);
}

// Ten of thirty operations give up, and are no lost updates; the others go on without them.
template <class Inner, class Workload>
void expect_given_up_are_not_lost(WorkloadSettings settings) {
  Impatient<Inner> primitive;
  settings.timeout = Nanoseconds(1);
  Stage<Workload, Impatient<Inner>> stage(primitive, settings);
  EXPECT_EQ(stage.operate_all(30 / settings.threads), 20u);
  EXPECT_EQ(stage.given_up(), 10u);
  expect_holds(stage.prove());
}

// `settings` for one operation a thread, with the first seed that draws the threads' keys as
// `wanted`.
inline WorkloadSettings drawn_as(WorkloadSettings settings, std::uint32_t per_operation,
                                 const std::vector<std::vector<std::uint32_t>>& wanted) {
  settings.threads = static_cast<std::uint32_t>(wanted.size());
  settings.operations = 1;
  for (settings.seed = 1; settings.seed < 1'000'000; ++settings.seed) {
    const KeySequences sequences = KeySequences::draw(settings, per_operation);
    bool fits = true;
    for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
      const auto first = sequences.of(thread).first(wanted[thread].size());
      fits = fits && std::equal(first.begin(), first.end(), wanted[thread].begin());
    }
    if (fits) return settings;
  }
  ADD_FAILURE() << "no seed draws these keys";
  return settings;
}

}  // namespace lockbench
