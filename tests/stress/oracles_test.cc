// SPDX-License-Identifier: Apache-2.0

// What each oracle says of an observation, by itself; and that the registry is complete.
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/oracles/fairness.h"
#include "harness/stress/oracles/registry.h"

namespace lockbench::stress {
namespace {

using testing::HasSubstr;

struct Checked {
  Evaluations evaluations;
  std::optional<FailureRecord> failure;

  std::string text(const std::string& actor = "thread") const {
    return failure ? text_of(*failure, actor) : std::string();
  }
};

template <class Seen>
Checked checked(const Seen& seen, KeyStates* states = nullptr) {
  Checked result;
  result.failure = check_all(
      seen, [&](Oracle oracle, std::uint64_t times) { result.evaluations.count(oracle, times); },
      states);
  return result;
}

std::string registered_rows() {
  std::string rows;
  for (std::size_t i = 0; i < kOracles; ++i) {
    const auto oracle = static_cast<Oracle>(i);
    rows += absl::StrCat("| ", std::string(name_of(oracle)), " | ",
                         std::string(description_of(oracle)), " |\n");
  }
  return rows;
}

TEST(OracleRegistry, NamesAreDifferentAndLeadBack) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kOracles; ++i) {
    const auto oracle = static_cast<Oracle>(i);
    EXPECT_TRUE(names.insert(name_of(oracle)).second) << name_of(oracle);
    EXPECT_EQ(oracle_named(name_of(oracle)), oracle);
    EXPECT_TRUE(description_of(oracle).ends_with('.')) << name_of(oracle);
  }
  EXPECT_FALSE(oracle_named("guess"));
}

TEST(OracleRegistry, ThePageHasTheTableOfTheRegistry) {
  std::ifstream file(LOCKBENCH_SOURCE_DIR "/docs/stress.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, HasSubstr("| oracle | fault that it reports |\n|---|---|\n" +
                              registered_rows() + "\n"));
}

TEST(OracleRegistry, ACleanVerdictRequiresWhatTheLockPromises) {
  const auto needed = [](const Abilities& abilities) {
    return needed_oracles(EngineId::kSim, abilities);
  };
  using testing::Contains;
  using testing::Not;
  EXPECT_THAT(needed({}), Contains(Oracle::kOrdering));
  EXPECT_THAT(needed_oracles(EngineId::kReal, {}), Not(Contains(Oracle::kOrdering)));
  EXPECT_THAT(needed({}), Not(Contains(Oracle::kLease)));
  EXPECT_THAT(needed({.leases = true}), Contains(Oracle::kLease));
  EXPECT_THAT(needed({.fair = true}), Contains(Oracle::kFairness));
  EXPECT_THAT(needed({.fair = true, .capacity = 2}), Not(Contains(Oracle::kFairness)));
}

TEST(Exclusion, NamesTheStoppedHolderWhoseKeyWasTaken) {
  const Checked result =
      checked(Holders{.thread = 1, .excess = OtherHolder{2, OtherHolder::kStopped}});
  EXPECT_EQ(result.failure->oracle, Oracle::kExclusion);
  EXPECT_EQ(result.text("process"),
            "process 1 has key 0 while process 2, which was stopped and lives, holds it");
}

// No thread of the program has a number then.
TEST(Exclusion, SaysThatAKeyWasTriedBeforeTheProgramBegan) {
  const Checked result = checked(TryOfHeldKey{.key = 7, .acquired = true, .before_program = true});
  EXPECT_EQ(result.failure->oracle, Oracle::kExclusion);
  EXPECT_EQ(result.text(),
            "a try_lock() acquired key 7, which another thread held, before the threads of the "
            "program began");
}

TEST(Exclusion, LeavesAPartlyReleasedHoldToTheModel) {
  const Checked result =
      checked(Holders{.thread = 1, .excess = OtherHolder{2, OtherHolder::kPartReleased}});
  EXPECT_EQ(result.failure->oracle, Oracle::kModel);
  EXPECT_EQ(result.evaluations[Oracle::kExclusion], 1U);
}

TEST(Exclusion, IsWhatAResourceSeesOfALateHolder) {
  const Checked late =
      checked(ResourceWrite{.thread = 1, .key = 2, .last_writer = 3, .read = 17, .found = 19});
  EXPECT_EQ(late.failure->oracle, Oracle::kExclusion);
  EXPECT_EQ(late.text("client"),
            "client 1 read 17 under key 2 and wrote 18 over 19, which client 3 had written "
            "meanwhile: the resource lost an update");
  const Checked in_time = checked(ResourceWrite{.read = 17, .found = 17});
  EXPECT_FALSE(in_time.failure);
  EXPECT_EQ(in_time.evaluations[Oracle::kExclusion], 1U);
}

TEST(Token, GrowsAfterEveryTokenThatWasKnownBefore) {
  EXPECT_EQ(checked(TokenAfter{.thread = 1, .key = 2, .before = 7, .token = 7}).text("client"),
            "client 1 got token 7 of key 2 after token 7");
  EXPECT_FALSE(checked(TokenAfter{.before = 7, .token = 8}).failure);
}

TEST(Progress, NamesAThreadThatDoesNotGetAFreeKey) {
  EXPECT_EQ(
      checked(FreeKeyNotGranted{.thread = 1, .key = 2, .pauses = 20, .pause_ms = 50}).text(),
      "thread 1 requested key 2 and got it in none of 20 pauses of 50 ms, in which it ran and no "
      "thread held the key; others got it between the pauses");
}

TEST(Progress, NamesAClientThatGetsNoKeyAfterTheFaults) {
  EXPECT_EQ(checked(LateAfterFaults{.thread = 1, .key = 2, .waited_ms = 10'301}).text("client"),
            "client 1 has not acquired key 2 in 10301 ms since the last fault ended");
}

TEST(Fairness, NamesTheThreadsOfWhichTheLaterWasServedFirst) {
  EXPECT_EQ(checked(Arrivals{.earlier = 1, .later = 2, .overtook = true}).text(),
            "of threads that came one after the other for key 0, number 2 was served before number "
            "1, which waited already; the lock promises first come, first served");
  const Checked in_order = checked(Arrivals{.earlier = 1, .later = 2});
  EXPECT_FALSE(in_order.failure);
  EXPECT_EQ(in_order.evaluations[Oracle::kFairness], 1U);
}

TEST(Fairness, OfASlowLockAThreadThatGotNothingForMostOfAnEpochStarved) {
  EXPECT_TRUE(checked(LongestWait{.waited_ns = 403'000'000, .grants = 400}).failure);
  EXPECT_FALSE(checked(LongestWait{.waited_ns = 403'000'000, .grants = 100}).failure);
  EXPECT_FALSE(checked(LongestWait{.waited_ns = 200'000'000, .grants = 400}).failure);
  EXPECT_TRUE(checked(LongestWait{.waited_ns = 200'000'000, .grants = 5'000}).failure);
}

TEST(Residue, SaysWhichCallsStillWork) {
  const auto said = [](std::optional<bool> lock_returns) {
    return checked(FreeKey{.key = 3, .lock_returns = lock_returns}).text();
  };
  EXPECT_EQ(said(std::nullopt),
            "key 3 is not free after all threads ended (0 of 1 could be acquired)");
  EXPECT_EQ(said(true),
            "key 3 is not free after all threads ended: try_lock() fails each time, and "
            "lock() still acquires it");
  EXPECT_EQ(said(false),
            "key 3 is not free after all threads ended: try_lock() fails each time, and "
            "lock() does not return");
}

TEST(Independence, AFreeKeyThatWaitsWhileOtherKeysAreHeldWaitsForThem) {
  const Checked waits = checked(OneOfManyKeys{.key = 24, .held = 24});
  EXPECT_EQ(waits.failure->oracle, Oracle::kIndependence);
  EXPECT_EQ(waits.text(),
            "a thread waits forever for key 24, which no thread holds, while "
            "24 other keys are held, though each key has its own lock");
}

TEST(Independence, NamesTwoOfManyKeysByTheirNumbers) {
  EXPECT_EQ(checked(ManyKeys{.held = 7, .refused = 65543}).text(),
            "while the key 7 is held, the key 65543 cannot be acquired, though each key has its "
            "own lock");
  EXPECT_FALSE(checked(ManyKeys{}).failure);
}

TEST(Residue, AHeapThatGrowsWithEachCallIsReported) {
  EXPECT_EQ(checked(HeapGrowth{.number = 20'000, .bytes = 640'000}).text(),
            "20000 holds by one thread left 640000 more bytes behind that were not freed");
  EXPECT_EQ(
      checked(HeapGrowth{.calls = Calls::kTimeouts, .number = 20'000, .bytes = 640'000}).text(),
      "20000 timeouts by one thread left 640000 more bytes behind that were not freed");
  EXPECT_FALSE(checked(HeapGrowth{.number = 20'000, .bytes = 100'000}).failure);
}

TEST(Residue, AllocationsThatRemainAfterEachCallAreReported) {
  EXPECT_EQ(
      checked(Allocations{.calls = Calls::kRefusals, .number = 4095, .left = 4095}).text(),
      "4095 failed tries of one key by one thread left 4095 more allocations behind that were not "
      "freed");
  EXPECT_FALSE(checked(Allocations{.number = 4095, .left = 1000}).failure);
}

TEST(Model, HoldsALockToWhatItSaysOfItsOwner) {
  using Answer = OwnerAnswer;
  EXPECT_EQ(checked(Answer{.thread = 1, .holds = true}).text(),
            "thread 1 holds key 0, and is_held_by_this_thread() denies it");
  EXPECT_EQ(checked(Answer{.thread = 1, .answer = true}).text(),
            "thread 1 does not hold key 0, and is_held_by_this_thread() says that it does");
  EXPECT_EQ(checked(Answer{.query = Answer::kLocked, .answer = true}).text(),
            "no thread holds key 0, and is_locked() says that one does");
  EXPECT_FALSE(checked(Answer{.thread = 1, .holds = true, .answer = true}).failure);
}

TEST(Lease, ReportsTwoHoldersOfOneLeaseAndANumberTooHigh) {
  EXPECT_EQ(checked(Holders{.thread = 1, .lease = 3, .same_lease = OtherHolder{2}}).text(),
            "thread 1 and thread 2 both have lease 3 of key 0");
  EXPECT_EQ(checked(LeaseNumber{.lease = 2, .capacity = 2}).failure->oracle, Oracle::kLease);
  EXPECT_FALSE(checked(LeaseNumber{.lease = 1, .capacity = 2}).failure);
}

TEST(Ordering, IsEvaluatedOnlyWhereTheEngineKnowsTheOrder) {
  EXPECT_EQ(checked(Grant{}).evaluations[Oracle::kOrdering], 0U);
  EXPECT_EQ(checked(Grant{.ordered = true}).evaluations[Oracle::kOrdering], 1U);
  EXPECT_EQ(checked(Grant{.ordered = false}).failure->oracle, Oracle::kOrdering);
}

TEST(Token, MustGrowFromHoldToHold) {
  KeyStates states;
  EXPECT_FALSE(checked(Grant{.token = 1}, &states).failure);
  EXPECT_FALSE(checked(Grant{.token = 2}, &states).failure);
  EXPECT_EQ(checked(Grant{.thread = 3, .token = 2}, &states).text(),
            "thread 3 got token 2 of key 0 after token 2");
}

TEST(Conservation, AKilledProcessMayHaveMadeItsUpdateOrNot) {
  const auto at_end = [](std::uint64_t seen) {
    return checked(Updates{.when = Updates::kAtEnd, .least = 4, .most = 5, .seen = seen});
  };
  EXPECT_FALSE(at_end(4).failure);
  EXPECT_FALSE(at_end(5).failure);
  EXPECT_EQ(at_end(3).text(), "key 0 counts 3 of the 4 updates that were made");
  EXPECT_EQ(at_end(6).text(), "key 0 counts 6 updates, and at most 5 were begun");
  EXPECT_THAT(checked(Updates{.thread = 1}).text("process"), HasSubstr("half of a number"));
}

TEST(Model, ARefusalNeedsAReasonOrItsTimeout) {
  EXPECT_FALSE(checked(Refusal{}).failure);
  EXPECT_THAT(checked(Refusal{.owner = true}).text(), HasSubstr("which it holds"));
  EXPECT_FALSE(checked(Refusal{.timeout_ns = 5, .waited_ns = 5}).failure);
  EXPECT_EQ(checked(Refusal{.timeout_ns = 5, .waited_ns = 4}).text(),
            "thread 0 was refused key 0 after 4 ns, before its timeout of 5 ns");
  EXPECT_FALSE(checked(Refusal{.others = 1}).failure);
  EXPECT_THAT(checked(Refusal{.second_key = 2, .others = 0}).text(),
              HasSubstr("keys 0 and 2, though no other thread used"));
}

TEST(Progress, SaysOfAStallWhetherTheLastHolderWasKilled) {
  ProcessStall stall{.process = 1, .last_holder = 2, .last_holder_was_killed = true};
  EXPECT_EQ(checked(stall).failure->oracle, Oracle::kProgress);
  EXPECT_THAT(checked(stall).text("process"), HasSubstr("process 2, which was killed"));
  stall.last_holder = kNoThread;
  EXPECT_THAT(checked(stall).text("process"), HasSubstr("which no process holds"));
}

TEST(Progress, OneLateRecoveryMayBeTheMachines) {
  EXPECT_FALSE(checked(Recovery{.recoveries = 4, .median_ns = 2'000'000'000}).failure);
  EXPECT_EQ(checked(Recovery{.recoveries = 5, .median_ns = 2'000'000'000}).text(),
            "half of the keys whose holder was killed were acquired again after 2000 ms or later");
}

TEST(Fairness, ALongWaitCountsOnlyIfOthersGotTheKeyMeanwhile) {
  EXPECT_FALSE(checked(LongestWait{.waited_ns = 200'000'000, .grants = 10}).failure);
  EXPECT_THAT(checked(LongestWait{.waited_ns = 200'000'000, .grants = 5'000}).text(),
              HasSubstr("waited 200 ms for key 0, which others got 5000 times"));
}

TEST(Fairness, OfTwoWaitsTheOneThatFailsIsWorseAndElseTheLongerOne) {
  const LongestWait starved{.waited_ns = 120'000'000, .grants = 9'000};
  const LongestWait longer{.waited_ns = 290'000'000, .grants = 20};
  EXPECT_TRUE(oracles::Fairness::worse(starved, longer));
  EXPECT_FALSE(oracles::Fairness::worse(longer, starved));
  EXPECT_TRUE(oracles::Fairness::worse(longer, LongestWait{.waited_ns = 1}));
  EXPECT_FALSE(oracles::Fairness::worse(longer, longer));
}

TEST(ProcessEnd, IsTheSanitizersFindingOrACrash) {
  const auto oracle_of = [](const ProcessEnd& end) { return checked(end).failure->oracle; };
  EXPECT_EQ(oracle_of({.exit_code = 66}), Oracle::kCrash);
  EXPECT_EQ(oracle_of({.exit_code = 66, .detector = ProcessEnd::kThreadSanitizer}),
            Oracle::kOrdering);
  EXPECT_EQ(oracle_of({.exit_code = 66, .detector = ProcessEnd::kAddressSanitizer}),
            Oracle::kLifetime);
  EXPECT_EQ(oracle_of({.signal = 11, .detector = ProcessEnd::kThreadSanitizer}), Oracle::kCrash);
  EXPECT_EQ(checked(ProcessEnd{.thread = 2, .signal = 11}).text(),
            "the process died of SIGSEGV in thread 2");
  EXPECT_EQ(checked(ProcessEnd{.thread = 2, .signal = 11}).text("process"),
            "process 2 died of SIGSEGV");
}

}  // namespace
}  // namespace lockbench::stress
