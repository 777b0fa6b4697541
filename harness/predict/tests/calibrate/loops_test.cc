// SPDX-License-Identifier: Apache-2.0

// Calibrates a model as if it were this machine: what comes out must be the model.

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "harness/predict/calibrate/calibrated_model.h"
#include "harness/predict/calibrate/measure_figures.h"
#include "harness/predict/machine/simulation.h"
#include "harness/predict/tests/machine/model_of_four.h"

namespace lockbench::calibration {
namespace {

using machine::MachineModel;
using machine::Simulation;

constexpr std::size_t kStackBytes = 64 << 10;

// Two threads, on the processors that they ask for.
class ModelledRunner : public Runner {
 public:
  explicit ModelledRunner(const MachineModel& model) : model_(model) {}

  void run(const std::vector<Side>& sides) override {
    std::vector<std::uint32_t> bound;
    for (const Side& side : sides) bound.push_back(static_cast<std::uint32_t>(side.processor));
    Simulation simulation(model_, bound);
    std::vector<std::unique_ptr<std::byte[]>> stacks;
    for (const Side& side : sides) {
      stacks.emplace_back(new std::byte[kStackBytes]);
      simulation.start(side.body, {stacks.back().get(), kStackBytes});
    }
    simulation.allow_accesses(20'000'000);
    EXPECT_EQ(simulation.run(), Simulation::End::kFinished);
  }

 private:
  const MachineModel model_;
};

Cores cores_of(const MachineModel& model) {
  Cores cores(model.cores());
  for (std::uint32_t p = 0; p < model.processors(); ++p) {
    cores[model.core_of(p)].push_back(static_cast<int>(p));
  }
  return cores;
}

constexpr Effort kSmall{.repetitions = 1,
                        .calls = 2'000,
                        .handovers = 200,
                        .foreign_passes = 5,
                        .sleeps = 10,
                        .barriers = 100,
                        .slices = 8,
                        .memory_lines = 1 << 12};

MachineModel calibrated(const MachineModel& model) {
  ModelledRunner runner(model);
  const Cores cores = cores_of(model);
  const MeasuredFigures figures = measure_figures(runner, cores, kSmall, [](auto...) {});
  const Shape shape{.cores_per_cluster = model.cores_per_cluster,
                    .threads_per_core = model.threads_per_core,
                    .cores = cores};
  return calibrated_model(figures, shape,
                          {.name = model.name,
                           .cpu_model = "",
                           .hypervisor = "",
                           .version = "0",
                           .year = 2000,
                           .operation_ns = 9,
                           .slice_ns = {},
                           .granularity_ns = {}})
      .model;
}

void expect_near(machine::Picoseconds found, machine::Picoseconds wanted, const char* what) {
  const auto exact = static_cast<double>(wanted);
  EXPECT_NEAR(static_cast<double>(found), exact, exact * 0.02) << what;
}

void expect_same_costs(const MachineModel& found, const MachineModel& wanted) {
  expect_near(found.access.hit, wanted.access.hit, "hit");
  expect_near(found.access.store, wanted.access.store, "store");
  expect_near(found.access.rmw, wanted.access.rmw, "rmw");
  expect_near(found.access.memory, wanted.access.memory, "memory");
  expect_near(found.access.pause, wanted.access.pause, "pause");
  expect_near(found.access.clock, wanted.access.clock, "clock");
  const machine::SchedulerCosts& scheduler = found.scheduler;
  const machine::SchedulerCosts& exact = wanted.scheduler;
  expect_near(scheduler.slice, exact.slice, "slice");
  expect_near(scheduler.context_switch, exact.context_switch, "context_switch");
  expect_near(scheduler.yield, exact.yield, "yield");
  expect_near(scheduler.futex_call, exact.futex_call, "futex_call");
  expect_near(scheduler.futex_wait, exact.futex_wait, "futex_wait");
}

void expect_same_costs_between_cores(const MachineModel& found, const MachineModel& wanted) {
  const machine::SchedulerCosts& scheduler = found.scheduler;
  const machine::SchedulerCosts& exact = wanted.scheduler;
  expect_near(scheduler.futex_wake, exact.futex_wake, "futex_wake");
  expect_near(scheduler.wakeup, exact.wakeup, "wakeup");
  expect_near(scheduler.membarrier, exact.membarrier, "membarrier");
  expect_near(scheduler.interrupt, exact.interrupt, "interrupt");
}

MachineModel model_of_two() {
  MachineModel model = machine::model_of_four();
  model.cores_per_cluster = 2;
  model.latency = {0, 100 * machine::kNs, 100 * machine::kNs, 0};
  model.access.clock = 20 * machine::kNs;
  return model;
}

TEST(CalibrationLoops, AModelOfTwoCoresIsMeasuredAsItIs) {
  const MachineModel model = model_of_two();
  const MachineModel found = calibrated(model);
  expect_same_costs(found, model);
  expect_same_costs_between_cores(found, model);
  ASSERT_EQ(found.latency.size(), 4U);
  expect_near(found.latency[1], model.latency[1], "latency");
  EXPECT_EQ(found.latency[0], 0);
  EXPECT_EQ(found.latency[1], found.latency[2]);
}

TEST(CalibrationLoops, QuietTransfersAndReadsThatTakeAreFound) {
  MachineModel model = model_of_two();
  EXPECT_EQ(calibrated(model).quiet, 1);
  EXPECT_FALSE(calibrated(model).reads_take);
  model.quiet = 0.6;
  EXPECT_NEAR(calibrated(model).quiet, 0.6, 0.012);
  EXPECT_FALSE(calibrated(model).reads_take);
  model.reads_take = true;
  const MachineModel found = calibrated(model);
  EXPECT_NEAR(found.quiet, 0.6, 0.012);
  EXPECT_TRUE(found.reads_take);
  expect_same_costs_between_cores(found, model);
}

// A step takes 15 ns there, and only whole steps can be told apart.
TEST(CalibrationLoops, ALookaheadIsFoundToTheStep) {
  MachineModel model = model_of_two();
  EXPECT_LT(calibrated(model).access.lookahead, 15 * machine::kNs);
  for (const int steps : {1, 2, 3, 5}) {
    model.access.lookahead = steps * 15 * machine::kNs;
    const auto wanted = static_cast<double>(model.access.lookahead);
    EXPECT_NEAR(static_cast<double>(calibrated(model).access.lookahead), wanted,
                static_cast<double>(15 * machine::kNs));
  }
}

TEST(CalibrationLoops, SiblingsAreNearerAndSlowEachOther) {
  MachineModel model = model_of_two();
  model.threads_per_core = 2;
  model.sibling_latency = 30 * machine::kNs;
  model.smt_slowdown = 1.5;
  const MachineModel found = calibrated(model);
  expect_near(found.sibling_latency, model.sibling_latency, "sibling");
  EXPECT_NEAR(found.smt_slowdown, 1.5, 0.03);
  expect_near(found.latency[1], model.latency[1], "latency");
}

TEST(CalibrationLoops, OneProcessorHasNothingToTransferTo) {
  MachineModel model = machine::model_of_one();
  model.access.clock = 20 * machine::kNs;
  const MachineModel found = calibrated(model);
  expect_same_costs(found, model);
  EXPECT_EQ(found.latency, std::vector<machine::Picoseconds>{0});
  EXPECT_GT(found.scheduler.wakeup, 0);  // assumed
}

}  // namespace
}  // namespace lockbench::calibration
