// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/system_facts.h"

#include <gtest/gtest.h>

#include "tests/kernel/kernel_files.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

using Speed = KernelFiles;

TEST_F(Speed, EachGovernorIsNamedOnce) {
  EXPECT_TRUE(internal::governors_below(root()).empty());
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil");
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance");
  put("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil");
  EXPECT_EQ(internal::governors_below(root()),
            (std::vector<std::string>{"performance", "schedutil"}));
}

TEST_F(Speed, TurboIsSwitchedTheOtherWayRoundOnIntel) {
  EXPECT_EQ(internal::turbo_below(root()), std::nullopt);
  const std::string boost = "sys/devices/system/cpu/cpufreq/boost";
  put(boost, "1");
  EXPECT_EQ(internal::turbo_below(root()), (Turbo{.on = true, .file = at(boost), .off = "0"}));
  const std::string intel = "sys/devices/system/cpu/intel_pstate/no_turbo";
  put(intel, "1");
  EXPECT_EQ(internal::turbo_below(root()), (Turbo{.on = false, .file = at(intel), .off = "1"}));
}

TEST_F(Speed, ABatteryIsNoMains) {
  EXPECT_EQ(internal::mains_below(root()), std::nullopt);
  put("sys/class/power_supply/BAT0/type", "Battery");
  put("sys/class/power_supply/BAT0/online", "1");
  EXPECT_EQ(internal::mains_below(root()), std::nullopt);
  put("sys/class/power_supply/AC/type", "Mains");
  put("sys/class/power_supply/AC/online", "0");
  EXPECT_EQ(internal::mains_below(root()), false);
  put("sys/class/power_supply/AC/online", "1");
  EXPECT_EQ(internal::mains_below(root()), true);
}

TEST(KernelChoices, TheOneInBracketsIsChosen) {
  EXPECT_EQ(internal::chosen_of("always [madvise] never"), "madvise");
  EXPECT_EQ(internal::chosen_of("always"), std::nullopt);
  EXPECT_EQ(internal::chosen_of("][ never"), std::nullopt);
}

TEST(SystemFacts, OfThisMachineAreTold) {
  const Machine machine = read_machine();
  const SystemFacts facts = read_system_facts(machine, this_build(), "no/such/folder");
  EXPECT_EQ(facts.usable_processors, machine.usable_threads);
  EXPECT_FALSE(facts.build_type.empty());
  EXPECT_TRUE(facts.membarrier && facts.python_trouble);
  ASSERT_TRUE(facts.space.has_value());
  EXPECT_EQ(facts.space->folder, fs::current_path().string());
}

TEST(SystemFacts, ReadQuicklyLeaveOutWhatCannotSpoilAMeasurement) {
  const SystemFacts facts = read_system_facts_quickly(read_machine(), this_build());
  EXPECT_FALSE(facts.python_trouble || facts.space || !facts.thread_limits.empty());
  EXPECT_FALSE(facts.build_type.empty());
}

}  // namespace
}  // namespace lockbench
