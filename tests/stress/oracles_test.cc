// SPDX-License-Identifier: Apache-2.0

// The verdict of each oracle on one thing that was seen, by itself; and that the registry is
// complete.
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
  std::ifstream file(LOCKBENCH_SOURCE_DIR "/docs/stress-engines.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, HasSubstr("| oracle | fault that it reports |\n|---|---|\n" +
                              registered_rows() + "\n"));
}

TEST(OracleRegistry, ACleanVerdictRequiresWhatTheLockPromises) {
  const auto needed = [](const Abilities& abilities) {
    return needed_oracles(kSimEngine, abilities);
  };
  using testing::Contains;
  using testing::Not;
  EXPECT_THAT(needed({}), Contains(Oracle::kOrdering));
  EXPECT_THAT(needed_oracles(kRealEngine, {}), Not(Contains(Oracle::kOrdering)));
  EXPECT_THAT(needed({}), Not(Contains(Oracle::kLease)));
  EXPECT_THAT(needed({{}, {.leases = true}}), Contains(Oracle::kLease));
  EXPECT_THAT(needed({{.fair = true}}), Contains(Oracle::kFairness));
  EXPECT_THAT(needed({{.fair = true, .capacity = 10}}), Contains(Oracle::kFairness));
  EXPECT_THAT(needed({{.fair = true, .capacity = 11}}), Not(Contains(Oracle::kFairness)));
  EXPECT_THAT(needed({{.fair = true, .capacity = 2, .limits = {.threads = 3}}}),
              Contains(Oracle::kFairness));
  EXPECT_THAT(needed({{.fair = true, .capacity = 2, .limits = {.threads = 2}}}),
              Not(Contains(Oracle::kFairness)));
  EXPECT_THAT(needed({{.readers_order = ReadersOrder::kPhaseFair}}), Contains(Oracle::kFairness));
}

struct Row {
  Checked result;
  Oracle oracle;
  const char* text;
  const char* actor = "thread";
};

TEST(Oracles, NameWhatIsWrongAndWhoIsConcerned) {
  const auto updates = [](std::uint64_t seen) {
    return checked(Updates{.when = Updates::kAtEnd, .least = 4, .most = 5, .seen = seen});
  };
  const auto key_3 = [](std::optional<bool> lock_returns) {
    return checked(FreeKey{.key = 3, .lock_returns = lock_returns});
  };
  KeyStates states;
  for (std::uint64_t token : {1, 2}) EXPECT_FALSE(checked(Grant{.token = token}, &states).failure);
  const Row rows[] = {
      {checked(Holders{.thread = 1, .excess = OtherHolder{2, OtherHolder::kStopped}}),
       Oracle::kExclusion,
       "process 1 has key 0 while process 2, which was stopped and lives, holds it", "process"},
      // No thread of the program has a number then.
      {checked(TryOfHeldKey{.key = 7, .acquired = true, .before_program = true}),
       Oracle::kExclusion,
       "a try_lock() acquired key 7, which another thread held, before the threads of the program "
       "began"},
      {checked(ResourceWrite{.thread = 1, .key = 2, .last_writer = 3, .read = 17, .found = 19}),
       Oracle::kExclusion,
       "client 1 read 17 under key 2 and wrote 18 over 19, which client 3 had written meanwhile: "
       "the resource lost an update",
       "client"},
      {checked(TokenAfter{.thread = 1, .key = 2, .before = 7, .token = 7}), Oracle::kToken,
       "client 1 got token 7 of key 2 after token 7", "client"},
      {checked(Grant{.thread = 3, .token = 2}, &states), Oracle::kToken,
       "thread 3 got token 2 of key 0 after token 2"},
      {checked(FreeKeyNotGranted{.thread = 1, .key = 2, .pauses = 20, .pause_ms = 50}),
       Oracle::kProgress,
       "thread 1 requested key 2 and got it in none of 20 pauses of 50 ms, in which it ran and no "
       "thread held the key; others got it between the pauses"},
      {checked(ServedSleepers{.key = 2, .all = 260, .left = 31}), Oracle::kProgress,
       "31 of 260 threads that slept for key 2 sleep on, though it is free: who released it woke "
       "none of them"},
      {checked(LateAfterFaults{.thread = 1, .key = 2, .waited_ms = 10'301}), Oracle::kProgress,
       "client 1 has not acquired key 2 in 10301 ms since the last fault ended", "client"},
      {checked(ProcessStall{.process = 1, .last_holder = 2, .last_holder_was_killed = true}),
       Oracle::kProgress, "process 2, which was killed", "process"},
      {checked(
           ProcessStall{.process = 1, .last_holder = kNoThread, .last_holder_was_killed = true}),
       Oracle::kProgress, "which no process holds", "process"},
      {checked(Recovery{.recoveries = 5, .median_ns = 2'000'000'000}), Oracle::kProgress,
       "half of the keys whose holder was killed were acquired again after 2000 ms or later"},
      {checked(Refusal{.thread = 1, .key = 2, .reads = true, .in_the_way = InTheWay{}}),
       Oracle::kModel,
       "thread 1 was refused key 2 to read, though no writer held the lock during the call, and no "
       "other thread was inside a call"},
      {checked(Arrivals{.earlier = 1, .later = 2, .overtook = true}), Oracle::kFairness,
       "of threads that came one after the other for key 0, number 2 was served before number 1, "
       "which waited already; the lock promises first come, first served"},
      {checked(LongestWait{.waited_ns = 200'000'000, .grants = 5'000}), Oracle::kFairness,
       "waited 200 ms for key 0, which others got 5000 times"},
      // A thread that waits for a slow lock and got nothing for most of an epoch.
      {checked(LongestWait{.waited_ns = 403'000'000, .grants = 400}), Oracle::kFairness,
       "waited 403 ms for key 0, which others got 400 times"},
      {key_3(std::nullopt), Oracle::kResidue,
       "key 3 is not free after all threads ended (0 of 1 could be acquired)"},
      {key_3(true), Oracle::kResidue,
       "key 3 is not free after all threads ended: try_lock() fails each time, and lock() still "
       "acquires it"},
      {key_3(false), Oracle::kResidue,
       "key 3 is not free after all threads ended: try_lock() fails each time, and lock() does "
       "not return"},
      {checked(HeapGrowth{.number = 20'000, .bytes = 640'000}), Oracle::kResidue,
       "20000 holds by one thread left 640000 more bytes behind that were not freed"},
      {checked(HeapGrowth{.calls = Calls::kTimeouts, .number = 20'000, .bytes = 640'000}),
       Oracle::kResidue,
       "20000 timeouts by one thread left 640000 more bytes behind that were not freed"},
      {checked(Allocations{.calls = Calls::kRefusals, .number = 4095, .left = 4095}),
       Oracle::kResidue,
       "4095 failed tries of one key by one thread left 4095 more allocations behind that were "
       "not freed"},
      {checked(OneOfManyKeys{.key = 24, .held = 24}), Oracle::kIndependence,
       "a thread waits forever for key 24, which no thread holds, while 24 other keys are held, "
       "though each key has its own lock"},
      {checked(ManyKeys{.held = 7, .refused = 65543}), Oracle::kIndependence,
       "while the key 7 is held, the key 65543 cannot be acquired, though each key has its own "
       "lock"},
      {checked(OwnerAnswer{.thread = 1, .holds = true}), Oracle::kModel,
       "thread 1 holds key 0, and is_held_by_this_thread() denies it"},
      {checked(OwnerAnswer{.thread = 1, .answer = true}), Oracle::kModel,
       "thread 1 does not hold key 0, and is_held_by_this_thread() says that it does"},
      {checked(OwnerAnswer{.query = OwnerAnswer::kLocked, .answer = true}), Oracle::kModel,
       "no thread holds key 0, and is_locked() says that one does"},
      // A hold that is partly released is left to the oracle `model`.
      {checked(Holders{.thread = 1, .excess = OtherHolder{2, OtherHolder::kPartReleased}}),
       Oracle::kModel, ""},
      {checked(Refusal{.owner = true}), Oracle::kModel, "which it holds"},
      {checked(Refusal{.timeout_ns = 5, .waited_ns = 4}), Oracle::kModel,
       "thread 0 was refused key 0 after 4 ns, before its timeout of 5 ns"},
      {checked(Refusal{.second_key = 2, .in_the_way = InTheWay{}}), Oracle::kModel,
       "keys 0 and 2, though no other thread used"},
      {checked(Refusal{.in_the_way = InTheWay{.uses = 1}, .capacity = 2}), Oracle::kModel,
       "though fewer than 2 other threads held it during the call, and none was inside a call"},
      {checked(Holders{.thread = 1, .lease = 3, .same_lease = OtherHolder{2}}), Oracle::kLease,
       "thread 1 and thread 2 both have lease 3 of key 0"},
      {checked(LeaseNumber{.lease = 2, .capacity = 2}), Oracle::kLease, ""},
      {checked(Grant{.ordered = false}), Oracle::kOrdering, ""},
      {updates(3), Oracle::kConservation, "key 0 counts 3 of the 4 updates that were made"},
      {updates(6), Oracle::kConservation, "key 0 counts 6 updates, and at most 5 were begun"},
      {checked(Updates{.thread = 1}), Oracle::kConservation, "half of a number", "process"},
      {checked(ProcessEnd{.thread = 2, .signal = 11}), Oracle::kCrash,
       "the process died of SIGSEGV in thread 2"},
      {checked(ProcessEnd{.thread = 2, .signal = 11}), Oracle::kCrash, "process 2 died of SIGSEGV",
       "process"},
      {checked(ProcessEnd{.exit_code = 66}), Oracle::kCrash, ""},
      {checked(ProcessEnd{.signal = 11, .detector = ProcessEnd::kThreadSanitizer}), Oracle::kCrash,
       ""},
      {checked(ProcessEnd{.exit_code = 66, .detector = ProcessEnd::kThreadSanitizer}),
       Oracle::kOrdering, ""},
      {checked(ProcessEnd{.exit_code = 66, .detector = ProcessEnd::kAddressSanitizer}),
       Oracle::kLifetime, ""},
  };
  for (const Row& row : rows) {
    ASSERT_TRUE(row.result.failure) << row.text;
    EXPECT_EQ(row.result.failure->oracle, row.oracle) << row.result.text();
    EXPECT_THAT(row.result.text(row.actor), HasSubstr(row.text));
  }
}

TEST(Oracles, ReportNothingThatMayBe) {
  const Checked rows[] = {
      checked(TokenAfter{.before = 7, .token = 8}),
      checked(LongestWait{.waited_ns = 403'000'000, .grants = 100}),
      checked(LongestWait{.waited_ns = 200'000'000, .grants = 400}),
      checked(LongestWait{.waited_ns = 200'000'000, .grants = 10}),
      checked(ManyKeys{}),
      checked(HeapGrowth{.number = 20'000, .bytes = 100'000}),
      checked(Allocations{.number = 4095, .left = 1000}),
      checked(OwnerAnswer{.thread = 1, .holds = true, .answer = true}),
      checked(LeaseNumber{.lease = 1, .capacity = 2}),
      // A killed process may have made its update or not.
      checked(Updates{.when = Updates::kAtEnd, .least = 4, .most = 5, .seen = 4}),
      checked(Updates{.when = Updates::kAtEnd, .least = 4, .most = 5, .seen = 5}),
      checked(Refusal{}),
      checked(Refusal{.timeout_ns = 5, .waited_ns = 5}),
      checked(Refusal{.in_the_way = InTheWay{.uses = 1}}),
      // A permit may be on its way from one release to another one that is under way.
      checked(Refusal{.in_the_way = InTheWay{.uses = 1, .calls = 1}, .capacity = 2}),
      // One late recovery may be the machine's.
      checked(Recovery{.recoveries = 4, .median_ns = 2'000'000'000}),
  };
  for (const Checked& result : rows) EXPECT_EQ(result.text(), "");
}

TEST(Oracles, CountWhatTheyEvaluated) {
  const auto times = [](const Checked& result, Oracle oracle) {
    return result.evaluations[oracle];
  };
  EXPECT_EQ(
      times(checked(Holders{.thread = 1, .excess = OtherHolder{2, OtherHolder::kPartReleased}}),
            Oracle::kExclusion),
      1U);
  EXPECT_EQ(times(checked(ResourceWrite{.read = 17, .found = 17}), Oracle::kExclusion), 1U);
  EXPECT_EQ(times(checked(Arrivals{.earlier = 1, .later = 2}), Oracle::kFairness), 1U);
  // Only where the engine knows the order.
  EXPECT_EQ(times(checked(Grant{}), Oracle::kOrdering), 0U);
  EXPECT_EQ(times(checked(Grant{.ordered = true}), Oracle::kOrdering), 1U);
}

TEST(Fairness, OfTwoWaitsTheOneThatFailsIsWorseAndElseTheLongerOne) {
  const LongestWait starved{.waited_ns = 120'000'000, .grants = 9'000};
  const LongestWait longer{.waited_ns = 290'000'000, .grants = 20};
  EXPECT_TRUE(oracles::Fairness::worse(starved, longer));
  EXPECT_FALSE(oracles::Fairness::worse(longer, starved));
  EXPECT_TRUE(oracles::Fairness::worse(longer, LongestWait{.waited_ns = 1}));
  EXPECT_FALSE(oracles::Fairness::worse(longer, longer));
}

}  // namespace
}  // namespace lockbench::stress
