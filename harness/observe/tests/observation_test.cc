// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observation.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/preset_file.h"
#include "harness/observe/command/whatif_command.h"
#include "harness/observe/observation/blocked_timeline.h"
#include "harness/observe/observation/figures_text.h"
#include "harness/observe/observation/futex_use.h"
#include "harness/observe/observation/hold_change.h"
#include "harness/observe/observation/observed_check.h"
#include "harness/observe/observation/observed_preset.h"
#include "harness/observe/observation/recording_file.h"
#include "harness/observe/observation/verdict.h"
#include "harness/observe/recorder/counters.h"

namespace lockbench {
namespace {

std::vector<std::uint64_t> counts_of(double exponent, int locks, double most) {
  std::vector<std::uint64_t> counts;
  for (int rank = 1; rank <= locks; ++rank) {
    counts.push_back(static_cast<std::uint64_t>(std::llround(most / std::pow(rank, exponent))));
  }
  return counts;
}

TEST(Popularity, TheExponentIsFoundInAnyOrderOfTheLocks) {
  for (const double exponent : {0.0, 0.5, 0.99, 2.0}) {
    std::vector<std::uint64_t> counts = counts_of(exponent, 50, 1e6);
    std::reverse(counts.begin(), counts.end());
    const Popularity found = popularity_of(counts);
    EXPECT_EQ(found.locks, 50U);
    EXPECT_NEAR(found.zipf, exponent, 0.01);
    EXPECT_LT(found.zipf_error, 0.01);
  }
}

TEST(Popularity, FewAcquisitionsGiveALargeError) {
  EXPECT_GT(popularity_of({3, 2, 1}).zipf_error, 0.3);
}

TEST(Popularity, OneLockHasAllAcquisitions) {
  const Popularity one = popularity_of({17, 0, 0});
  EXPECT_EQ(one.locks, 1U);
  EXPECT_EQ(one.zipf, 0);
  EXPECT_EQ(one.hottest_share, 1);
  EXPECT_EQ(popularity_of({}).locks, 0U);
}

TEST(Timeline, EachPeriodHasTheShareInWhichAThreadWaited) {
  BlockedTimeline timeline;
  timeline.note({{0, 0.5}}, 1);
  timeline.note({{0, 0.5}}, 3);
  timeline.note({{0, 1.5}}, 4);
  const std::vector<BlockedPeriod> found = timeline.of(0);
  ASSERT_EQ(found.size(), 3U);
  const std::vector<std::pair<double, double>> expected{{1, 0.5}, {3, 0}, {4, 1}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_DOUBLE_EQ(found[i].until_s, expected[i].first);
    EXPECT_DOUBLE_EQ(found[i].blocked_share, expected[i].second);
  }
  EXPECT_EQ(timeline.of(1).front().blocked_share, 0);  // another process
  for (int s = 5; s < 3000; ++s) timeline.note({{0, 1.5}}, s);
  EXPECT_LE(timeline.of(0).size(), BlockedTimeline::kMostPeriods);
}

// 3 GHz for six days, and more threads than any process has.
TEST(BlockedTime, HasNoLimitThatAServerReaches) {
  observe::BlockedTime blocked{};
  const std::uint64_t day = 86'400ULL * 3'000'000'000ULL;
  for (int i = 0; i < 100'000; ++i) observe::begin_blocked(blocked, 6 * day + i);
  EXPECT_EQ(blocked.waiters, 100'000U);
  for (int i = 0; i < 100'000; ++i) observe::end_blocked(blocked, 7 * day);
  EXPECT_NEAR(blocked_s(blocked.waiters, blocked.ticks, 9 * day, 1.0 / 3), 86'400, 1e-3);
  observe::begin_blocked(blocked, 8 * day);  // waits still
  EXPECT_NEAR(blocked_s(blocked.waiters, blocked.ticks, 9 * day, 1.0 / 3), 2 * 86'400, 1e-3);
}

TEST(BlockedTime, WhatTwoPeriodsHaveInCommonCountsOnce) {
  observe::BlockedTime blocked{};
  observe::Count until = 0;
  observe::add_blocked(blocked, until, 100, 200);
  observe::add_blocked(blocked, until, 100, 300);
  observe::add_blocked(blocked, until, 250, 300);
  EXPECT_EQ(blocked.ticks, 200U);
}

// A program of which all was seen, and whose locks cost little.
Observation seen_observation() {
  Observation observation{.processes = {{.pid = 7,
                                         .program = "/bin/server",
                                         .wall_s = 10,
                                         .threads = 4,
                                         .acquisitions = 1000,
                                         .blocked_s = 0.1,
                                         .greatest_gain = 0.01,
                                         .places = {{.acquisitions = 1000}}}}};
  observation.coverage = {.end = "exit code 0",
                          .life_s = 10,
                          .window_s = 10,
                          .processes = 1,
                          .processor_s = 8,
                          .seen_processor_s = 8,
                          .futex_samples = 50,
                          .seen_futex_samples = 50};
  return observation;
}

VerdictKind kind_of(const Observation& observation) {
  return verdict_of(observation, "./server").kind;
}

TEST(Verdict, AcquitsOnlyIfAllWasSeen) {
  const Verdict verdict = verdict_of(seen_observation(), "./server");
  EXPECT_EQ(verdict.kind, VerdictKind::kNotTheProblem);
  EXPECT_EQ(
      verdict.notes.back(),
      "seen: 1 process, 100 % of the processor time, 100 % of 50 sampled futex waits; one run; "
      "never seen: locks whose threads only spin");

  Observation partly = seen_observation();
  partly.coverage.seen_processor_s = 7;
  EXPECT_EQ(kind_of(partly), VerdictKind::kPartlySeen);
  partly.coverage.seen_processor_s = 2;
  EXPECT_EQ(kind_of(partly), VerdictKind::kNotSeen);

  Observation futexes = seen_observation();
  futexes.coverage.seen_futex_samples = 25;
  EXPECT_EQ(kind_of(futexes), VerdictKind::kPartlySeen);

  Observation lost = seen_observation();
  lost.coverage.placeless_acquisitions = 1;
  EXPECT_EQ(kind_of(lost), VerdictKind::kPartlySeen);

  Observation left_out = seen_observation();
  left_out.coverage.unseen = {{.program = "8 processes", .why = Unseen::kNoRoom}};
  EXPECT_EQ(kind_of(left_out), VerdictKind::kPartlySeen);

  Observation java = seen_observation();
  java.coverage.runtimes = {"Java"};
  EXPECT_EQ(kind_of(java), VerdictKind::kPartlySeen);

  // The interpreter's lock, taken by one thread and then by two.
  Observation python = seen_observation();
  python.coverage.runtimes = {"Python"};
  ObservedPlace& taken = python.processes[0].places[0];
  taken.callers = {{.module = "/usr/bin/python3.11"}};
  taken.threads = 1;
  EXPECT_EQ(kind_of(python), VerdictKind::kNotTheProblem);
  taken.threads = 2;
  EXPECT_EQ(kind_of(python), VerdictKind::kPartlySeen);
}

TEST(Verdict, OfABusyMachineSaysSo) {
  Observation observation = seen_observation();
  observation.processes[0].greatest_gain = 0.2;
  EXPECT_TRUE(
      verdict_of(observation, "./server").answer.starts_with("how much locks cost is not known: "));
  observation.coverage.other_programs_share = 0.4;
  EXPECT_TRUE(
      verdict_of(observation, "./server")
          .answer.starts_with("how much locks cost is not known on a machine that is busy"));
}

TEST(Verdict, NamesTheProgramThatWasNotSeen) {
  Observation observation = seen_observation();
  observation.processes.clear();
  observation.coverage.seen_processor_s = 0.1;
  observation.coverage.unseen = {{.pid = 9,
                                  .program = "/bin/worker",
                                  .why = Unseen::kEnvironment,
                                  .processor_s = 7.9,
                                  .life_s = 9}};
  const Verdict verdict = verdict_of(observation, "env");
  EXPECT_EQ(verdict.kind, VerdictKind::kNotSeen);
  EXPECT_TRUE(verdict.answer.starts_with(
      "the program that did the work was not seen: worker (process 9): it began with another"))
      << verdict.answer;
}

TEST(Verdict, AProcessThatIsTooSmallDoesNotMatter) {
  Observation observation = seen_observation();
  observation.coverage.seen_processor_s = 7.99;
  observation.coverage.unseen = {
      {.pid = 9, .program = "/bin/date", .why = Unseen::kStatic, .processor_s = 0.01}};
  EXPECT_EQ(kind_of(observation), VerdictKind::kNotTheProblem);
  observation.coverage.unseen[0].life_s = 5;  // a server that sleeps may be what matters
  EXPECT_EQ(kind_of(observation), VerdictKind::kPartlySeen);
}

TEST(Verdict, OfAProgramThatRunsOnThereIsNone) {
  Observation observation = seen_observation();
  observation.coverage.running = {{.pid = 9, .program = "/usr/bin/cached"}};
  const Verdict verdict = verdict_of(observation, "cached");
  EXPECT_EQ(verdict.kind, VerdictKind::kPartlySeen);  // a helper, after 8 s of work
  observation.coverage.running[0].processor_s = 1;
  EXPECT_TRUE(verdict_of(observation, "cached")
                  .answer.starts_with("no verdict: cached (process 9) still runs"));
  observation.coverage.running[0].processor_s = 0.001;
  observation.coverage.processor_s = observation.coverage.seen_processor_s = 0.01;
  EXPECT_EQ(kind_of(observation), VerdictKind::kNotSeen);
}

TEST(Verdict, AGainIsAShareOfTheProgramsTime) {
  Observation observation = seen_observation();
  observation.processes.push_back({.wall_s = 0.5, .greatest_gain = 0.2, .places = {{}}});
  EXPECT_EQ(kind_of(observation), VerdictKind::kNotTheProblem);
  // One after the other, they add up.
  observation.processes.clear();
  for (int i = 0; i < 20; ++i) {
    observation.processes.push_back({.wall_s = 0.5, .greatest_gain = 0.2, .places = {{}}});
  }
  EXPECT_EQ(kind_of(observation), VerdictKind::kMayCost);
}

TEST(Verdict, OfAProgramThatEndedBeforeTheObservationThereIsNone) {
  Observation observation = seen_observation();
  observation.processes.clear();
  observation.coverage.end = "exit code 1";
  observation.coverage.life_s = 1;
  observation.coverage.delay_s = 8;
  observation.coverage.window_s = 0;
  EXPECT_EQ(verdict_of(observation, "./server").answer,
            "no verdict: ./server ended (exit code 1) after 1 s, before the observation began "
            "(--delay 8 s)");
}

TEST(Verdict, WaitsThatMayBeOfALockLeaveNoAcquittal) {
  Observation observation = seen_observation();
  observation.processes[0].events = {
      {.callers = {{.function = "work"}}, .kind = observe::LockKind::kFutexEvent, .blocked_s = 9}};
  EXPECT_EQ(kind_of(observation), VerdictKind::kNotTheProblem);
  observation.processes[0].events[0].kind = observe::LockKind::kFutexUnknown;
  EXPECT_EQ(kind_of(observation), VerdictKind::kPartlySeen);
  observation.processes[0].events[0].blocked_s = 0.1;
  EXPECT_EQ(kind_of(observation), VerdictKind::kNotTheProblem);
}

ObservedPlace held_place(const std::string& module, std::uint64_t offset, std::uint64_t count) {
  ObservedPlace place;
  place.callers = {{.function = "get", .module = module, .offset = offset}};
  place.kind = observe::LockKind::kMutex;
  place.acquisitions = count;
  place.hold.samples = 10;
  place.hold.mean_ns = 1000;
  return place;
}

TEST(PlacesToMeasure, AreThoseWithMostOfTheTimeInHolds) {
  Observation observation;
  observation.coverage.window_s = 1;
  ObservedPlace waited = held_place("/bin/a", 1, 20'000);  // 20 ms
  waited.blocked_s = 0.5;
  ObservedPlace futex = held_place("/bin/a", 9, 900'000);
  futex.kind = observe::LockKind::kFutex;
  ObservedPlace compiled = held_place("", 8, 900'000);
  observation.processes.resize(2);
  ObservedPlace seldom = held_place("/bin/a", 3, 9'000);  // 9 ms: less than 1 %
  seldom.blocked_s = 0.3;
  observation.processes[0].blocked_s = 0.8;
  observation.processes[0].places = {held_place("/bin/a", 2, 100'000), waited, futex, compiled,
                                     seldom};
  // The same program, once more.
  observation.processes[1].places = {held_place("/bin/a", 2, 50'000),
                                     held_place("/bin/b", 2, 60'000)};
  const auto found = places_to_measure(observation, 8, nullptr);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].place, 1U);  // it has the longest waits
  EXPECT_EQ(found[1].acquisitions, 150'000U);
  EXPECT_DOUBLE_EQ(found[1].holds_s, 0.15);
  EXPECT_EQ(std::pair(found[2].process, found[2].place), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_DOUBLE_EQ(found[1].most_gain_s, 0.83);
  EXPECT_EQ(places_to_measure(observation, 2, nullptr).size(), 2U);
  const absl::StatusOr<Expression> none = Expression::parse("put");
  EXPECT_TRUE(places_to_measure(observation, 8, &*none).empty());
}

TEST(PlacesToMeasure, CanGainAHundredthOfTheTime) {
  Observation observation;
  observation.coverage.window_s = 1;
  observation.processes.resize(1);
  // Nobody waits, and a fifth of the holds is less than 1 %.
  observation.processes[0].places = {held_place("/bin/a", 1, 49'000),
                                     held_place("/bin/a", 2, 51'000)};
  const auto found = places_to_measure(observation, 8, nullptr);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].place, 1U);
}

TEST(CanLookShorter, IfOneProcessHasThePlaceAndItsThreadsHadProcessors) {
  Observation observation;
  observation.coverage.window_s = 1;
  observation.coverage.processor_s = 2;
  observation.coverage.crowded_s = 0.1;
  observation.processes.resize(2);
  observation.processes[1].wall_s = 1;
  observation.processes[1].processor_s = 1.8;
  observation.processes[1].elsewhere_s = 0.1;
  const PlaceToMeasure place{.process = 1, .processes = 1};
  EXPECT_TRUE(can_look_shorter(observation, place));
  EXPECT_FALSE(can_look_shorter(observation, {.process = 1, .processes = 2}));
  EXPECT_FALSE(can_look_shorter(observation, {.process = 0, .processes = 1}));
  observation.coverage.crowded_s = 0.11;
  EXPECT_FALSE(can_look_shorter(observation, place));
  observation.coverage.crowded_s = 0;
  observation.processes[1].elsewhere_s = 0.11;
  EXPECT_FALSE(can_look_shorter(observation, place));
}

TEST(WhatIf, AsksMoreSeldomTheLongerItTakes) {
  std::vector<std::uint32_t> asked;
  for (std::uint32_t blocks = 1; blocks <= 40; ++blocks) {
    if (internal::asks_after(blocks)) asked.push_back(blocks);
  }
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{6, 8, 10, 12, 15, 18, 22, 27, 33}));
}

TEST(Table, LongNamesLoseTheirMiddle) {
  EXPECT_EQ(without_middle("get() cache.c:7", 15), "get() cache.c:7");
  EXPECT_EQ(without_middle("Cache<std::string>::get() cache.cc:17", 16), "Cache<std….cc:17");
  const std::string name(240, 'x');
  const std::string text = table_text({{"place", "kind"}, {name, "mutex"}}, 60);
  EXPECT_EQ(text.find('\n'), 60U);
  // A name of few letters is left, however narrow the terminal is.
  EXPECT_EQ(table_text({{"place", "kind"}, {"get() cache.c:7", "mutex"}}, 10),
            "place             kind\nget() cache.c:7  mutex\n");
}

TEST(FutexUse, IsThatOfAKnownClassOrElseOfWhoWakes) {
  const std::vector<std::string> mutex{"Waiter::Wait", "absl::Mutex::Lock", "serve"};
  EXPECT_EQ(use_of_futex(mutex, {.own_wakes = 0, .other_wakes = 100}), FutexUse::kLock);
  EXPECT_EQ(user_of_futex(mutex), 2U);
  const std::vector<std::string> condition{"Waiter::Wait", "absl::Mutex::DecrementSynchSem",
                                           "absl::CondVar::WaitCommon", "serve"};
  EXPECT_EQ(use_of_futex(condition, {.own_wakes = 100, .other_wakes = 0}), FutexUse::kEvent);
  EXPECT_EQ(use_of_futex({"own_wait", "serve"}, {.own_wakes = 90, .other_wakes = 10}),
            FutexUse::kLock);
  // Its holder may never wait.
  EXPECT_EQ(use_of_futex({"own_wait", "serve"}, {.own_wakes = 0, .other_wakes = 100}),
            FutexUse::kUnknown);
  EXPECT_EQ(use_of_futex({}, {.own_wakes = 0, .other_wakes = 0}), FutexUse::kUnknown);
  // A thread that sleeps once, for as long as it is watched, is idle; two may wait for each other.
  EXPECT_EQ(use_of_futex({"own_wait"}, {.own_wakes = 9, .unended = 1}), FutexUse::kEvent);
  EXPECT_EQ(use_of_futex({"own_wait"}, {.own_wakes = 9, .unended = 2}), FutexUse::kLock);
  EXPECT_EQ(use_of_futex({"own_wait"}, {.own_wakes = 9, .ended = 1, .unended = 1}),
            FutexUse::kLock);
  // Its own name says that it is a lock: that nobody releases it may be a fault.
  EXPECT_EQ(use_of_futex(mutex, {.unended = 1}), FutexUse::kLock);
  // A user's function may be called anything.
  EXPECT_EQ(use_of_futex({"own_wait", "serve", "std::barrier"}, {.own_wakes = 0, .other_wakes = 0}),
            FutexUse::kUnknown);
}

TEST(Verdict, OfSeveralRunsTheWorstCounts) {
  Observation observation = seen_observation();
  observation.gains = {0.01, 0.12, 0.02};
  observation.coverage.runs = 3;
  const Verdict verdict = verdict_of(observation, "./server");
  EXPECT_EQ(verdict.kind, VerdictKind::kMayCost);
  EXPECT_EQ(verdict.notes.front(), "greatest gain of 3 runs: 1 % to 12 %");
}

ObservedPlace example_place() {
  ObservedPlace place;
  place.callers = {{.function = "serve(\"quote\\", .file = "/src/a.c", .line = 3}};
  place.kind = observe::LockKind::kMutex;
  place.threads = 4;
  place.acquisitions = 1000;
  place.popularity = {.locks = 1};
  place.hold = {.samples = 64, .mean_ns = 12345, .buckets = {{12300, 12390, 64}}};
  place.think = {.samples = 64, .mean_ns = 120, .buckets = {{10, 10, 62}, {3540, 3580, 2}}};
  return place;
}

Sweep sweep_of(const ObservedPlace& place, double processor_s) {
  const ObservedProcess process{.program = "/bin/x", .wall_s = 1};
  const std::string text = observed_preset(place, process, processor_s, 4);
  const absl::StatusOr<Preset> preset = parse_preset(text, "observed.toml");
  EXPECT_TRUE(preset.ok()) << preset.status() << text;
  return preset.ok() ? preset->sweeps[0] : Sweep();
}

TEST(ObservedPreset, HasTheThreadsAndTimesOfThePlace) {
  const Sweep sweep = sweep_of(example_place(), 4);
  EXPECT_EQ(sweep.threads, std::vector<std::uint32_t>{4});
  EXPECT_EQ(sweep.keys, std::vector<std::uint64_t>{1});
  EXPECT_EQ(sweep.holds[0].kind, Work::Kind::kMixedSpin);
  EXPECT_EQ(sweep.holds[0].mix, std::vector(32, Nanoseconds(12000)));
  std::vector<Nanoseconds> think(31, Nanoseconds(10));
  think.push_back(Nanoseconds(3600));
  EXPECT_EQ(sweep.thinks[0].mix, think);
}

TEST(ObservedPreset, ThreadsOfAnIdleProgramSleepBetweenOperations) {
  EXPECT_EQ(sweep_of(example_place(), 0.5).thinks[0].kind, Work::Kind::kMixedSleep);
}

TEST(ObservedPreset, LocksOfOnePlaceAreItsKeys) {
  ObservedPlace place = example_place();
  place.popularity = {.locks = 30, .zipf = 0.987, .zipf_error = 0.01};
  const Sweep sweep = sweep_of(place, 4);
  EXPECT_EQ(sweep.keys, std::vector<std::uint64_t>{30});
  EXPECT_EQ(sweep.key_distributions[0].theta, 0.99);
}

TEST(ObservedPreset, ReadersGetAWorkloadOfReaders) {
  ObservedPlace place = example_place();
  place.kind = observe::LockKind::kShared;
  place.shared_acquisitions = 900;
  const Sweep sweep = sweep_of(place, 4);
  EXPECT_EQ(sweep.workloads[0].name, "read_mostly");
  EXPECT_NEAR(*sweep.write_shares[0], 0.1, 1e-9);
}

RecordedPlace place_with(std::uint64_t contended, double p50_ns, double p99_ns) {
  return {
      .acquisitions = 10'000, .contended = contended, .wait_p50_ns = p50_ns, .wait_p99_ns = p99_ns};
}

TEST(ObservedCheck, AgreesUpToAFactor) {
  const RecordedPlace program = place_with(1000, 1e3, 9e3);
  EXPECT_TRUE(check_of(program, place_with(1400, 1.4e3, 7e3)).agrees());
  EXPECT_FALSE(check_of(program, place_with(1600, 1e3, 9e3)).agrees());
  EXPECT_FALSE(check_of(program, place_with(1000, 1e3, 5e3)).agrees());
}

TEST(ObservedCheck, WithFewWaitsComparesTheirNumberAlone) {
  const ObservedCheck check = check_of(place_with(40, 1, 1), place_with(50, 100, 100));
  EXPECT_TRUE(check.agrees());
  EXPECT_TRUE(check.few_waits);
  EXPECT_FALSE(check_of(place_with(40, 1, 1), place_with(0, 0, 0)).agrees());
  const ObservedCheck none = check_of(place_with(1, 1, 1), place_with(4, 0, 0));
  EXPECT_TRUE(none.agrees());
  EXPECT_THAT(to_text(none), testing::HasSubstr("hardly any contention"));
}

TEST(GreatestGain, IsNoMoreThanWhatTheProcessorsLeave) {
  ObservedPlace place = example_place();
  place.contended = 10;
  place.greatest_gain = 0.5;
  place.wait.samples = 10;
  Observation observation{
      .processes = {{.wall_s = 1, .acquisitions = 1000, .greatest_gain = 0.5, .places = {place}}}};
  observation.coverage.life_s = 1;
  const auto bounded = [&](double processor_s) {
    Observation copy = observation;
    copy.processes[0].processor_s = processor_s;
    bound_by_processors(copy, 2, 20);
    return copy.processes[0];
  };
  // One half of two processors was used, so the waits decide.
  EXPECT_EQ(bounded(1).greatest_gain, 0.5);
  EXPECT_FALSE(bounded(1).processor_bound);
  // 2 % were idle, and the locks took 120 us of 2 s.
  EXPECT_NEAR(bounded(1.96).greatest_gain, 0.02006, 1e-6);
  EXPECT_TRUE(bounded(1.96).processor_bound);
  EXPECT_NEAR(bounded(1.96).places[0].greatest_gain, 0.02006, 1e-6);
  EXPECT_EQ(bounded(0).greatest_gain, 0.5);  // unknown
  // A thread that spins uses its processor meanwhile.
  observation.processes[0].places[0].kind = observe::LockKind::kSpin;
  observation.processes[0].places[0].wait.mean_ns = 1e8;
  EXPECT_EQ(bounded(1.96).greatest_gain, 0.5);
}

TEST(DurationText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(12.34), "12.3 ns");
  EXPECT_EQ(duration_text(123456), "123 µs");
  EXPECT_EQ(duration_text(5.5e9), "5.5 s");
}

}  // namespace
}  // namespace lockbench
