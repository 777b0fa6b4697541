// SPDX-License-Identifier: Apache-2.0

// The presets that measure locks at servers.

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/plan/shipped.h"

namespace lockbench {
namespace {

// Those of the plug-ins in harness/services/locks/.
const std::set<std::string> kAtServices = {
    "redis",          "redlock", "redis_as_published", "postgresql_advisory",
    "postgresql_row", "etcd",    "zookeeper"};

TEST(ShippedPresets, BothPresetsOfServicesHaveEveryServiceAndRedlock) {
  for (const char* const name : {"services", "services-faults"}) {
    std::set<std::string> names;
    for (const Trial& trial : shipped(name).plan.trials) names.insert(trial.cell.primitive.name);
    EXPECT_EQ(names, kAtServices) << name;
  }
}

TEST(ShippedPresets, HoldersOfServicesStandStillWithAndWithoutTokens) {
  std::set<std::string> scenarios;
  for (const Trial& trial : shipped("services-faults").plan.trials) {
    scenarios.insert(trial.cell.workload.scenario);
    EXPECT_GE(trial.cell.operations, 25u);  // a process stands still in one of so many holds
  }
  EXPECT_EQ(scenarios, (std::set<std::string>{"stopped", "stopped_unchecked"}));
}

}  // namespace
}  // namespace lockbench
