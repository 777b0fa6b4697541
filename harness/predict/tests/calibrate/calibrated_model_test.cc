// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/calibrated_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::calibration {
namespace {

using machine::kPerNanosecond;
using machine::MachineModel;
using testing::ElementsAre;
using testing::HasSubstr;

MeasuredFigures figures_of_two() {
  return {.load = 0.5,
          .store = 1,
          .exchange = 6,
          .load_beside_sibling = {},
          .memory_load = 90.5,
          .pause = 40,
          .clock = 20,
          .handovers = {0, 66, 66, 0},
          .sibling_handover = {},
          .yield = 300,
          .yield_switch = 1320,
          .futex_call = 100,
          .slice = 2'801'000,
          .sleep_switch = 1620,
          .wake_call = 1240,  // with two transfers of the kernel's line
          .wakeup = 5000,
          .barrier_call = 1120,
          .barrier_delay = 400};
}

Shape two_cores() {
  return {.cores_per_cluster = 2, .cores = {{0}, {1}}};
}

HostFacts facts() {
  return {.name = "here",
          .cpu_model = "Some \"Processor\"",
          .hypervisor = "KVM",
          .version = "1.2.3",
          .year = 2026,
          .operation_ns = 13.5,
          .slice_ns = {},
          .granularity_ns = {}};
}

TEST(CalibratedModel, SubtractsWhatALoopContainsBesideItsSubject) {
  const MachineModel model = calibrated_model(figures_of_two(), two_cores(), facts()).model;
  constexpr machine::Picoseconds kNs = kPerNanosecond;
  EXPECT_THAT(model.latency, ElementsAre(0, 60 * kNs, 60 * kNs, 0));
  EXPECT_EQ(model.access, (machine::AccessCosts{.hit = 500,
                                                .store = 1 * kNs,
                                                .rmw = 6 * kNs,
                                                .memory = 90 * kNs,
                                                .pause = 40 * kNs,
                                                .clock = 20 * kNs,
                                                .operation = 4 * kNs}));
  EXPECT_EQ(model.scheduler, (machine::SchedulerCosts{.slice = 2'800'000 * kNs,
                                                      .granularity = 1'000'000 * kNs,
                                                      .context_switch = 1000 * kNs,
                                                      .yield = 300 * kNs,
                                                      .futex_call = 100 * kNs,
                                                      .futex_wait = 500 * kNs,
                                                      .futex_wake = 1000 * kNs,
                                                      .wakeup = 5000 * kNs,
                                                      .membarrier = 1000 * kNs,
                                                      .interrupt = 400 * kNs}));
}

TEST(CalibratedModel, EachKindOfCoresHasItsMeasuredSpeed) {
  Shape shape = two_cores();
  shape.kinds = {{.name = "fast", .cores = 1}, {.name = "slow", .cores = 1}};
  HostFacts known = facts();
  known.speeds = {1, 0.56789};
  const CalibratedModel calibrated = calibrated_model(figures_of_two(), shape, known);
  EXPECT_EQ(calibrated.model.kinds.back().speed, 0.568);
  const std::string text = machine::machine_toml(calibrated.model, calibrated.remarks);
  EXPECT_THAT(text, testing::HasSubstr("speed = 0.568  # measured"));
  EXPECT_TRUE(machine::parse_machine(text, "here.toml").ok());
}

// The transfer takes 60 ns.
TEST(CalibratedModel, AStepThatTransfersDelayLittleWasWorkedAheadOf) {
  MeasuredFigures figures = figures_of_two();
  const auto lookahead = [&figures](double alone, double beside) {
    figures.step_alone = alone;
    figures.step_beside_other = beside;
    return calibrated_model(figures, two_cores(), facts()).model.access.lookahead;
  };
  EXPECT_EQ(lookahead(12, 12 + 90), 0);                    // one and a half transfers
  EXPECT_EQ(lookahead(12, 12 + 30), 12 * kPerNanosecond);  // half of one: that of both lines
  EXPECT_EQ(lookahead(12, 12 + 15), 36 * kPerNanosecond);  // half of that
  EXPECT_EQ(lookahead(12, 11), 96 * kPerNanosecond);       // the most that is believed
}

TEST(CalibratedModel, TheFileGivesTheSameMachine) {
  MeasuredFigures figures = figures_of_two();
  figures.sibling_handover = 11;
  figures.load_beside_sibling = 0.7;
  Shape shape{.cores_per_cluster = 2, .threads_per_core = 2, .cores = {{0, 2}, {1, 3}}};
  for (const bool regular : {true, false}) {
    shape.regular = regular;
    const CalibratedModel calibrated = calibrated_model(figures, shape, facts());
    const std::string text = machine_toml(calibrated.model, calibrated.remarks);
    const auto parsed = machine::parse_machine(text, "here.toml");
    ASSERT_TRUE(parsed.ok()) << parsed.status() << text;
    EXPECT_EQ(*parsed, calibrated.model) << text;
  }
}

TEST(CalibratedModel, TheFileSaysWhatIsMeasuredAndWhatIsAssumed) {
  const CalibratedModel two = calibrated_model(figures_of_two(), two_cores(), facts());
  const std::string text = machine_toml(two.model, two.remarks);
  EXPECT_THAT(text, HasSubstr("\nwakeup = 5000  # measured\n"));
  EXPECT_THAT(text, HasSubstr("\nslice = 2800000  # measured\n"));
  EXPECT_THAT(text, HasSubstr("\ngranularity = 1000000  # assumed: the kernel does not tell\n"));
  EXPECT_THAT(text, HasSubstr("\nfigures = \"granularity\"\n"));
  EXPECT_THAT(text, HasSubstr("\nauthor = \"lockbench 1.2.3\"\n"));
  EXPECT_THAT(two.model.title, "Some \"Processor\" (2 cores, 2 threads, KVM)");
}

TEST(CalibratedModel, AYieldThatRanOtherProcessesIsNoFigure) {
  MeasuredFigures figures = figures_of_two();
  figures.yield = 2'000'000;
  const CalibratedModel busy = calibrated_model(figures, two_cores(), facts());
  EXPECT_EQ(busy.model.scheduler.yield, 300 * kPerNanosecond);
  EXPECT_EQ(busy.model.scheduler.context_switch, 1200 * kPerNanosecond);
  EXPECT_THAT(machine_toml(busy.model, busy.remarks),
              HasSubstr("\nyield = 300  # assumed: other processes used the processor"));
  EXPECT_EQ(busy.model.sources.back().figures, "context_switch, yield, granularity");
}

TEST(CalibratedModel, TheFileOfABusyMachineIsValid) {
  constexpr double kAges = 3e9;
  MeasuredFigures figures = figures_of_two();
  for (double* figure : {&figures.load, &figures.store, &figures.exchange, &figures.memory_load,
                         &figures.pause, &figures.clock, &figures.yield, &figures.yield_switch,
                         &figures.futex_call, &figures.slice, &figures.sleep_switch}) {
    const double before = *figure;
    *figure = kAges;
    const CalibratedModel busy = calibrated_model(figures, two_cores(), facts());
    const std::string text = machine_toml(busy.model, busy.remarks);
    const auto parsed = machine::parse_machine(text, "here.toml");
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    *figure = before;
  }
  HostFacts interrupted = facts();
  interrupted.operation_ns = 12e6;
  const CalibratedModel busy = calibrated_model(figures, two_cores(), interrupted);
  EXPECT_EQ(busy.model.access.operation, 4 * kPerNanosecond);
  EXPECT_THAT(busy.remarks.at("operation"), HasSubstr("assumed"));
}

TEST(CalibratedModel, TheFileSaysIfCoresAreAsNearAsThreadsOfOne) {
  MeasuredFigures figures = figures_of_two();
  figures.handovers = {0, 66, 8, 0};
  const CalibratedModel near = calibrated_model(figures, two_cores(), facts());
  EXPECT_THAT(near.remarks.at("matrix"), HasSubstr("1 of 2 transfers are as short as"));
}

TEST(CalibratedModel, TheKernelsOwnFiguresCount) {
  HostFacts told = facts();
  told.slice_ns = 750'000;
  told.granularity_ns = 500'000;
  const CalibratedModel model = calibrated_model(figures_of_two(), two_cores(), told);
  EXPECT_EQ(model.model.scheduler.slice, 750'000 * kPerNanosecond);
  EXPECT_EQ(model.model.scheduler.granularity, 500'000 * kPerNanosecond);
  EXPECT_EQ(model.model.sources.size(), 1U);  // nothing is assumed
}

TEST(CalibratedModel, WithOneCoreTransfersAreAbsentAndWakeUpsAssumed) {
  MeasuredFigures figures = figures_of_two();
  figures.handovers = {0};
  figures.wake_call = figures.wakeup = figures.barrier_call = figures.barrier_delay = {};
  const CalibratedModel one = calibrated_model(figures, {.cores = {{3}}}, facts());
  const std::string text = machine_toml(one.model, one.remarks);
  EXPECT_THAT(text, HasSubstr("# one core: there is nothing to transfer to\n"));
  EXPECT_THAT(text, HasSubstr("\nwakeup = 3000  # assumed: this program may use one core"));
  EXPECT_TRUE(machine::parse_machine(text, "one.toml").ok()) << text;
}

TEST(CalibratedModel, FiguresBelowZeroAndBelowTheFormatsLimitsAreLifted) {
  MeasuredFigures figures = figures_of_two();
  figures.load = 0;
  figures.pause = 0;
  figures.handovers = {0, 3, 3, 0};  // less than an exchange
  figures.yield_switch = 200;        // less than a yield
  figures.slice = 100;
  figures.wakeup = -50;
  const CalibratedModel model = calibrated_model(figures, two_cores(), facts());
  const std::string text = machine_toml(model.model, model.remarks);
  EXPECT_TRUE(machine::parse_machine(text, "low.toml").ok()) << text;
  EXPECT_EQ(model.model.latency[1], 0);
  EXPECT_EQ(model.model.scheduler.context_switch, 0);
  EXPECT_EQ(model.model.scheduler.wakeup, 0);
}

}  // namespace
}  // namespace lockbench::calibration
