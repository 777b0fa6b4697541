// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/epoch_plan.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/campaign.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {
namespace {

using testing::Each;

constexpr Abilities kAble{{.lock_per_key = true, .timed = true},
                          {.pairs = true, .nests_keys = true}};

const Mode& mode_of(std::string_view name) {
  return modes()[mode_named(modes(), kRealEngine, std::string(name)).value()];
}

RegisteredLock able() {
  return {.name = "able", .summary = "", .abilities = kAble, .make = {}};
}

TEST(EpochPlan, IsTheSameForTheSameSeed) {
  for (const Mode& mode : modes()) {
    const EpochPlan one = plan_epoch(able(), {}, mode, 42);
    const EpochPlan other = plan_epoch(able(), {}, mode, 42);
    EXPECT_EQ(one.program, other.program);
    EXPECT_EQ(one.length, other.length);
    EXPECT_EQ(one.keys, other.keys);
  }
}

TEST(EpochPlan, TheFirstEpochHasTheSeedThatWasAskedFor) {
  EXPECT_EQ(epoch_seed(99, 0), 99U);
  EXPECT_NE(epoch_seed(99, 1), 99U);
}

TEST(EpochPlan, LeavesAKeyUntouchedAndStaysWithinTheBoard) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Mode& mode = modes()[seed % kModes];
    const EpochPlan plan = plan_epoch(able(), {.processors = 64}, mode, seed);
    EXPECT_LT(plan.keys, kMostKeys);
    EXPECT_EQ(plan.program.keys(), plan.keys);
    EXPECT_LE(plan.program.threads.size(), kMostThreads);
  }
}

TEST(EpochPlan, StaysWithinWhatTheLockHasRoomFor) {
  RegisteredLock entry = able();
  entry.abilities.any_key = true;
  entry.programs = {"L0 L1 U U | L1 U"};
  for (const LockLimits limits :
       {LockLimits{.threads = 2}, LockLimits{.threads = 5, .keys = 3, .keys_of_thread = 2},
        LockLimits{.keys_below = 6}}) {
    entry.abilities.limits = limits;
    entry.abilities.any_key = limits.keys_below == 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const EpochPlan plan = plan_epoch(entry, {.threads = 6}, modes()[seed % kModes], seed);
      EXPECT_EQ(excess_of(plan.program, entry.abilities), "") << to_text(plan.program);
    }
  }
}

TEST(EpochPlan, DrawsNothingThatEndlessThreadsCannotDo) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const EpochPlan plan = plan_epoch(able(), {}, modes()[seed % kModes], seed);
    for (const auto& acts : plan.program.threads) {
      EXPECT_TRUE(std::none_of(acts.begin(), acts.end(),
                               [](const Act& act) { return act.kind == Act::kAwaitEnd; }));
    }
  }
}

// How many of the plans have an act that `is` true of, inside of another hold.
template <class Is>
int plans_with_nested(const RegisteredLock& entry, const Is& is) {
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const EpochPlan plan = plan_epoch(entry, {}, mode_of("plain"), seed);
    bool found = false;
    for (const auto& acts : plan.program.threads) {
      int open = 0;
      for (const Act& act : acts) {
        found |= open > 0 && is(act);
        open += acquires(act.kind) ? 1 : releases(act.kind) ? -1 : 0;
      }
    }
    plans += found;
  }
  return plans;
}

TEST(EpochPlan, TheHolderAcquiresAgainWithATimeout) {
  RegisteredLock entry = able();
  entry.abilities = {{.reentrant = true, .timed = true}};
  const auto timed = [](const Act& act) { return act.kind == Act::kTryLockFor; };
  EXPECT_GT(plans_with_nested(entry, timed), 50);
}

TEST(EpochPlan, AHolderRestsWhereAWrittenProgramAwaitsAThread) {
  RegisteredLock entry = able();
  entry.abilities = {{}, {.nests_keys = true}};
  entry.programs = {"L0 L1 A1 U U | L1 U"};
  const auto rests = [](const Act& act) { return act.kind == Act::kSleep && act.ns == 100'000; };
  EXPECT_GT(plans_with_nested(entry, rests), 50);
}

TEST(EpochPlan, FairnessIsWatchedUndisturbedOnOneKey) {
  const Mode mode = mode_of("fairness");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const EpochPlan plan = plan_epoch(able(), {}, mode, seed);
    EXPECT_EQ(plan.keys, 1U);
    EXPECT_FALSE(plan.yields);
    EXPECT_FALSE(plan.barriers);
  }
}

TEST(EpochPlan, OversubscriptionIsLargerThanTheMachine) {
  const EpochPlan plan =
      plan_epoch(able(), {.threads = 4, .processors = 4}, mode_of("oversubscription"), 1);
  EXPECT_GT(plan.program.threads.size(), 4U);
}

// A lock may have slots for 64 threads.
TEST(EpochPlan, OversubscriptionHasMoreThan64ThreadsAtTimes) {
  std::set<std::size_t> threads;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const EpochPlan plan = plan_epoch(able(), {}, mode_of("oversubscription"), seed);
    threads.insert(plan.program.threads.size());
  }
  EXPECT_GT(*threads.rbegin(), 64U);
  EXPECT_LT(*threads.begin(), 20U);
}

TEST(EpochPlan, AProgramThatWasAskedForIsDoneAsItIs) {
  const LitmusProgram program = program_from("L0 U | T1 U", 4).value();
  for (const Mode& mode : modes()) {
    EXPECT_EQ(plan_epoch(able(), {.program = program}, mode, 5).program, program);
  }
}

TEST(EpochPlan, ProgramsOfTheRegistryComeOften) {
  RegisteredLock entry = able();
  entry.programs = {"L0 R3000000 U | L0 U"};
  int written = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const EpochPlan plan = plan_epoch(entry, {.threads = 2}, mode_of("plain"), seed);
    written += plan.program == program_from(entry.programs.front(), 2).value();
  }
  EXPECT_GT(written, 25);
}

// How many of 200 plans of the mode are as `is` says.
template <class Is>
int plans_of(const RegisteredLock& entry, std::string_view mode, const Is& is) {
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    plans += is(plan_epoch(entry, {}, mode_of(mode), seed));
  }
  return plans;
}

// The acts of a lock at its first uses happen once in the life of a lock.
TEST(EpochPlan, AtTimesEachMeetingBeginsWithANewLock) {
  const auto renews = [](const EpochPlan& plan) { return plan.renews; };
  EXPECT_GT(plans_of(able(), "collisions", renews), 20);
  EXPECT_EQ(plans_of(able(), "fairness", renews), 0);
}

TEST(EpochPlan, ALockIsNotRenewedAfterAWarmUpNorIfItHasTokens) {
  const auto both = [](const EpochPlan& plan) {
    return plan.renews && (!plan.barriers || plan.program.warm_up != 0 ||
                           plan.program.refusals != 0 || plan.program.other_keys != 0);
  };
  EXPECT_EQ(plans_of(able(), "collisions", both), 0);
  RegisteredLock entry = able();
  entry.abilities.tokens = true;
  EXPECT_EQ(plans_of(entry, "collisions", [](const EpochPlan& plan) { return plan.renews; }), 0);
}

TEST(EpochPlan, ShortTimeoutsMeetALock) {
  const auto collide = [](const EpochPlan& plan) {
    const Act& act = plan.program.threads.back().front();
    return plan.short_timeouts && plan.barriers && act.kind == Act::kTryLockFor;
  };
  EXPECT_GT(plans_of(able(), "collisions", collide), 10);  // one in eight is expected: 25
  RegisteredLock entry = able();
  entry.abilities.timed = false;
  EXPECT_EQ(
      plans_of(entry, "collisions", [](const EpochPlan& plan) { return plan.short_timeouts; }), 0);
}

}  // namespace
}  // namespace lockbench::stress::threads
