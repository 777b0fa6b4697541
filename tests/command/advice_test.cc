// SPDX-License-Identifier: Apache-2.0

#include "harness/command/advise/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/standings.h"

namespace lockbench {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

AdviceCase wanted_of(std::uint32_t threads, std::uint64_t keys) {
  AdviceCase wanted;
  wanted.cell.threads = threads;
  wanted.cell.keys = keys;
  return wanted;
}

std::vector<std::string> names_of(const std::vector<PrimitiveSpec>& primitives) {
  std::vector<std::string> names;
  for (const PrimitiveSpec& primitive : primitives) names.push_back(to_text(primitive));
  return names;
}

absl::Status accept(const Cell&) {
  return absl::OkStatus();
}

std::string nothing_to_add(const PrimitiveSpec&) {
  return {};
}

TEST(Candidates, GrowTheirStripesAndBucketsWithTheThreads) {
  const auto of_eight = names_of(candidates_for(wanted_of(8, 1000)));
  EXPECT_THAT(of_eight, testing::IsSupersetOf({"keyed", "striped:stripes=32", "striped:stripes=512",
                                               "global:lock=std"}));
  EXPECT_THAT(names_of(candidates_for(wanted_of(1000, 1000))),
              testing::Contains("keyed:buckets=2048"));
}

TEST(Candidates, KeepTheirStripesWithinTheMemory) {
  AdviceCase wanted = wanted_of(8, 1000);
  wanted.memory_bytes = 1024;
  const auto names = names_of(candidates_for(wanted));
  EXPECT_THAT(names, testing::Contains("striped:stripes=8"));
  EXPECT_THAT(names, Not(testing::Contains("striped:stripes=16")));
}

TEST(Candidates, OfOneKeyHaveNoStripes) {
  EXPECT_THAT(names_of(candidates_for(wanted_of(8, 1))),
              ElementsAre("global:lock=std", "global", "keyed"));
}

TEST(AdvicePlan, HasEachCandidateInEveryBlockWithinTheBudget) {
  const auto plan = advice_plan(wanted_of(8, 1000), 30s, accept);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::size_t candidates = candidates_for(wanted_of(8, 1000)).size();
  EXPECT_EQ(plan->trials.size(), candidates * plan->blocks);
  EXPECT_GE(plan->blocks, 8u);
  Nanoseconds sum{0};
  for (const Trial& trial : plan->trials) sum += trial.cell.warmup + trial.cell.window;
  EXPECT_LE(sum, 30s);
  EXPECT_GE(sum, 15s);
}

TEST(AdvicePlan, LeavesOutWhatDoesNotFitTheCase) {
  const auto plan = advice_plan(wanted_of(8, 1000), 30s, [](const Cell& cell) {
    return cell.primitive.name == "keyed" ? absl::FailedPreconditionError("no") : absl::OkStatus();
  });
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const Trial& trial : plan->trials) EXPECT_NE(trial.cell.primitive.name, "keyed");
}

TEST(AdvicePlan, SaysWhatBudgetWouldBeEnough) {
  const auto plan = advice_plan(wanted_of(8, 1000), 1s, accept);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(std::string(plan.status().message()), StartsWith("--budget: 8 primitives, 9 times"));
}

TEST(AdvicePlan, GivesLongHoldsLongWindows) {
  AdviceCase wanted = wanted_of(2, 10);
  wanted.cell.hold = {.kind = Work::Kind::kSleep, .duration = 100ms};
  EXPECT_FALSE(advice_plan(wanted, 30s, accept).ok());
  const auto plan = advice_plan(wanted, 10min, accept);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_GE(plan->trials[0].cell.window, 2s);
}

// Ten blocks of each; keyed is twice as fast as global, striped now before it and now behind.
SmallRun example() {
  SmallRun run;
  run.add("global:lock=std", std::vector<double>(10, 10));
  run.add("keyed", std::vector<double>(10, 20));
  run.add("striped", {21, 19, 21, 19, 21, 19, 21, 19, 21, 18});
  return run;
}

Advice advice_on(const SmallRun& run, const AdviceCase& wanted) {
  return advise(wanted, run.plan.trials[0].cell, run.plan, run.measurements, nothing_to_add);
}

const AdviceCase kWanted = wanted_of(8, 64);

TEST(Advise, RanksAndSaysWhatCannotBeToldApart) {
  const Advice advice = advice_on(example(), kWanted);
  ASSERT_EQ(advice.advised.size(), 3u);
  EXPECT_EQ(advice.advised[0].primitive, "keyed");
  EXPECT_TRUE(advice.advised[1].level);
  EXPECT_THAT(advice.advised[1].reason, StartsWith("not told apart from the first, "));
  EXPECT_FALSE(advice.advised[2].level);
  EXPECT_THAT(advice.advised[2].reason, StartsWith("0.500× (0.500–0.500) of the first's speed"));
  EXPECT_EQ(advice.answer, "Take keyed, or striped: they cannot be told apart here");
}

TEST(Advise, SaysThatTheFirstIsToldApart) {
  SmallRun run = example();
  run.add("striped:stripes=64", std::vector<double>(10, 80));
  const Advice advice = advice_on(run, kWanted);
  EXPECT_EQ(advice.answer, "Take striped:stripes=64: told apart from the 3 others");
  EXPECT_THAT(advice.advised[0].reason, StartsWith("the fastest, 8.00× global:lock=std"));
}

TEST(Advise, TakesNoSideWhereNothingIsToldApart) {
  SmallRun run;
  run.add("keyed", {20, 20, 20, 20, 20, 20});
  run.add("global", {19, 21, 19, 21, 19, 20.5});
  run.add("striped", {21, 19, 18, 19, 21, 17});
  EXPECT_THAT(advice_on(run, kWanted).answer, StartsWith("Take any: the 3 cannot be told apart"));
}

TEST(Advise, TellsNothingApartByOneBlock) {
  SmallRun run;
  run.add("global", {10});
  run.add("keyed", {20});
  EXPECT_TRUE(advice_on(run, kWanted).advised[1].level);
}

TEST(Advise, RulesOutWhatTakesTooMuchMemory) {
  SmallRun run = example();
  for (Measurement& m : run.measurements) m.lock_bytes = 64;
  for (std::size_t i = 10; i < 20; ++i) run.measurements[i].lock_bytes = 65536;
  AdviceCase wanted = kWanted;
  wanted.memory_bytes = 1000;
  const Advice advice = advice_on(run, wanted);
  EXPECT_EQ(advice.advised[0].primitive, "striped");
  EXPECT_EQ(advice.advised[2].primitive, "keyed");
  EXPECT_EQ(advice.advised[2].place, 0u);
  EXPECT_EQ(advice.advised[2].reason, "takes 64 KiB, more than 1 kB");
}

TEST(Advise, RulesOutWhatStarvesThreadsOnlyWhereFairnessIsAskedFor) {
  SmallRun run = example();
  for (std::size_t i = 10; i < 20; ++i) run.measurements[i].fairness_jain = 0.3;
  EXPECT_THAT(advice_on(run, kWanted).advised[0].reason, HasSubstr("starves threads: Jain 0.30"));
  AdviceCase wanted = kWanted;
  wanted.fair = true;
  const Advice advice = advice_on(run, wanted);
  EXPECT_EQ(advice.advised[0].primitive, "striped");
  EXPECT_EQ(advice.advised[2].reason, "starves threads: Jain 0.30");
}

TEST(Advise, NeverAdvisesTheFloorOrWhatIsNotValid) {
  SmallRun run = example();
  run.add("none", std::vector<double>(10, 1000));
  run.add("keyed_tbb", {0, 0});
  const Advice advice = advice_on(run, kWanted);
  EXPECT_EQ(advice.advised[0].primitive, "keyed");
  EXPECT_EQ(advice.advised[3].reason, "guards nothing: what the work costs by itself");
  EXPECT_EQ(advice.advised[4].reason, "no trial of it was valid");
}

TEST(Advise, SaysSoWhereNothingWillDo) {
  SmallRun run;
  run.add("global", {0});
  const Advice advice = advice_on(run, kWanted);
  EXPECT_FALSE(advice.found);
  EXPECT_EQ(advice.answer, "Nothing that was measured will do");
  EXPECT_EQ(advice_sections(advice).size(), 1u);
}

TEST(Advise, HasAReasonForEachAndTheFiguresBehindThem) {
  const std::vector<Section> sections = advice_sections(advice_on(example(), kWanted));
  const std::string text = sections_text(sections, {.columns = 100});
  EXPECT_THAT(text, StartsWith("Take keyed, or striped"));
  EXPECT_THAT(text, HasSubstr("\n  1. keyed: the fastest"));
  EXPECT_THAT(text, HasSubstr("\n  3. global:lock=std: 0.500×"));
  EXPECT_THAT(text, HasSubstr("counter, 8 threads, 64 keys\n  primitive"));
}

Cell cell_of(std::uint32_t threads, std::uint64_t keys) {
  return {.workload = {"counter", ""}, .threads = threads, .keys = keys};
}

TEST(NearestGroup, IsTheOneWithTheFewestDoublingsBetween) {
  SmallRun run;
  for (const std::uint32_t threads : {2u, 16u}) {
    run.add("keyed", {1}, cell_of(threads, 1000));
    run.add("global", {1}, cell_of(threads, 1000));
  }
  const auto groups = cell_groups(run.plan, run.measurements);
  const auto near = nearest_group(cell_of(32, 1000), groups);
  ASSERT_TRUE(near);
  EXPECT_THAT(near->differences, ElementsAre("16 threads, asked 32"));
  EXPECT_FALSE(near->far);
  EXPECT_THAT(nearest_group(cell_of(2, 1000), groups)->differences, IsEmpty());
  EXPECT_TRUE(nearest_group(cell_of(16, 100'000), groups)->far);
}

TEST(NearestGroup, OffersAChoice) {
  SmallRun run;
  run.add("keyed", {1}, cell_of(8, 64));
  run.add("none", {1}, cell_of(8, 64));
  EXPECT_FALSE(nearest_group(cell_of(8, 64), cell_groups(run.plan, run.measurements)));
}

}  // namespace
}  // namespace lockbench
