// SPDX-License-Identifier: Apache-2.0

// Nested: what its proof accepts, and what it reports.
#include "workloads/nested.h"

#include <functional>

#include <gtest/gtest.h>

#include "primitives/no_lock.h"
#include "primitives/reentrant_lock.h"
#include "tests/workloads/during_hold.h"
#include "tests/workloads/stand_ins.h"

namespace lockbench {
namespace {

constexpr auto kAllScenarios = Nested<ReentrantLock<>, std::uint64_t>::kScenarios;

// A reentrant lock on one thread. It lets others in when an inner lock is given back, as one would
// that forgets how deep it is.
class ForgetsDepth {
 public:
  static constexpr Promises kPromises{.reentrant = true};

  class Handle {
   public:
    explicit Handle(ForgetsDepth& owner) : owner_(owner) {}
    void lock() { ++owner_.depth_; }
    bool try_lock() {
      lock();
      return true;
    }
    void unlock() {
      if (--owner_.depth_ != 0 && owner_.others_) owner_.let_others_in();
    }

   private:
    ForgetsDepth& owner_;
  };

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return 1; }
  static constexpr std::size_t lock_bytes() { return 0; }

  // Sets what others do each time when an inner lock is given back; not while they are at it
  // themselves.
  void when_unlocked_within(std::function<void()> others) { others_ = std::move(others); }

 private:
  void let_others_in() {
    const auto others = std::exchange(others_, nullptr);
    const int depth = std::exchange(depth_, 0);
    others();
    depth_ = depth;
    others_ = others;
  }

  int depth_ = 0;
  std::function<void()> others_;
};

// A lock that somebody else has whenever it is tried for the second time.
class OftenBusy {
 public:
  static constexpr Promises kPromises{.reentrant = true};

  struct Handle {
    OftenBusy& owner;
    void lock() {}
    bool try_lock() { return ++owner.tried_ % 2 != 0; }
    void unlock() {}
  };

  Handle handle(std::uint64_t) { return {*this}; }
  static constexpr std::uint32_t capacity() { return 1; }
  static constexpr std::size_t lock_bytes() { return 0; }

 private:
  int tried_ = 0;
};

static_assert(Nested<ForgetsDepth, std::uint64_t>::kAccepts);
static_assert(Nested<OftenBusy, std::uint64_t>::kAccepts);

template <class P>
using Staged = Stage<Nested<P, std::uint64_t>, P>;

TEST(Nested, EveryScenarioIsFiveAcquisitions) {
  for (const std::string_view scenario : kAllScenarios) {
    ReentrantLock<> primitive;
    Staged<ReentrantLock<>> stage(primitive, {.threads = 2, .scenario = std::string(scenario)});
    EXPECT_EQ(stage.operate_all(3), 6u);
    const Proof proof = stage.prove();
    expect_holds(proof);
    EXPECT_EQ(proof.counts, "30");
  }
}

TEST(Nested, EveryScenarioGivesBackAllThatItTook) {
  for (const std::string_view scenario : kAllScenarios) {
    ForgetsDepth primitive;
    Staged<ForgetsDepth> stage(primitive, {.scenario = std::string(scenario)});
    stage.operate(0);
    int within = 0;
    primitive.when_unlocked_within([&within] { ++within; });
    auto handle = primitive.handle(0);
    handle.lock();
    handle.unlock();
    EXPECT_EQ(within, 0);
  }
}

TEST(Nested, SectionsWithinAnothersAreLostAndSeen) {
  for (const std::string_view scenario : kAllScenarios) {
    NoLock primitive;
    Staged<NoLock> stage(primitive,
                         {.threads = 2, .hold = kHoldAsleep, .scenario = std::string(scenario)});
    during_next_hold([&] { stage.operate(1); });
    stage.operate(0);
    const Proof proof = stage.prove();
    EXPECT_EQ(proof.lost_updates, 5u);
    EXPECT_EQ(proof.violations, 1u);
    EXPECT_EQ(proof.counts, "5");
  }
}

TEST(Nested, ALockThatForgetsHowDeepItIsIsSeenInEveryNestedScenario) {
  for (const char* scenario : {"reentrant_lock_unlock", "mixed_lock_unlock", "context_manager"}) {
    ForgetsDepth primitive;
    Staged<ForgetsDepth> stage(primitive, {.threads = 2, .scenario = std::string(scenario)});
    primitive.when_unlocked_within([&] { stage.operate(1); });
    stage.operate(0);
    const Proof proof = stage.prove();
    EXPECT_EQ(proof.lost_updates, 0u);
    EXPECT_EQ(proof.violations, 1u);
  }
}

TEST(Nested, TriesThatFailAreToldAndTheOperationIsDone) {
  OftenBusy primitive;
  Staged<OftenBusy> stage(primitive, {.scenario = "lock_unlock_nonblocking"});
  EXPECT_EQ(stage.operate_all(4), 4u);
  EXPECT_EQ(stage.given_up(), 10u);
  const Proof proof = stage.prove();
  expect_holds(proof);
  EXPECT_EQ(proof.counts, "10");
}

TEST(Nested, AnOperationThatGivesUpAtItsDoorDoesNothing) {
  using Primitive = Impatient<ReentrantLock<>>;
  for (const std::string_view scenario : kAllScenarios) {
    if (scenario == "lock_unlock_nonblocking") continue;  // never waits
    Primitive primitive;
    Staged<Primitive> stage(primitive,
                            {.timeout = Nanoseconds(1), .scenario = std::string(scenario)});
    EXPECT_EQ(stage.operate_all(9), 6u);
    EXPECT_EQ(stage.given_up(), 3u);
    const Proof proof = stage.prove();
    expect_holds(proof);
    EXPECT_EQ(proof.counts, "30");
  }
}

}  // namespace
}  // namespace lockbench
