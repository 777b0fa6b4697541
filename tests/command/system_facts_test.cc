// SPDX-License-Identifier: Apache-2.0

#include "harness/command/doctor/system_facts.h"

#include <gtest/gtest.h>

#include "tests/record/temporary_folder.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// Files of the kernel's, made up below a folder of the test's own.
class KernelFiles : public testing::Test {
 protected:
  void put(const fs::path& path, const std::string& text) {
    fs::create_directories((root() / path).parent_path());
    write_text(root() / path, text + "\n");
  }
  const fs::path& root() const { return folder_.path(); }
  std::string at(const fs::path& path) const { return (root() / path).string(); }

 private:
  TemporaryFolder folder_;
};

using CpuQuotas = KernelFiles;
using TaskLimits = KernelFiles;
using Speed = KernelFiles;

TEST_F(CpuQuotas, TheTightestOfAllGroupsAroundTheProcessIsTold) {
  put("proc/self/cgroup", "0::/outer/inner");
  put("sys/fs/cgroup/outer/inner/cpu.max", "400000 100000");
  put("sys/fs/cgroup/outer/cpu.max", "150000 100000");
  put("sys/fs/cgroup/cpu.max", "max 100000");
  EXPECT_EQ(cgroup_cpu_quota(root()),
            (CpuQuota{.processors = 1.5, .file = at("sys/fs/cgroup/outer/cpu.max")}));
}

TEST_F(CpuQuotas, MaxIsNone) {
  put("proc/self/cgroup", "0::/");
  put("sys/fs/cgroup/cpu.max", "max 100000");
  EXPECT_EQ(cgroup_cpu_quota(root()), std::nullopt);
}

TEST_F(CpuQuotas, VersionOneHasItsOwnFiles) {
  put("proc/self/cgroup", "4:memory:/m\n2:cpu,cpuacct:/mine\n0::/");
  put("sys/fs/cgroup/cpu,cpuacct/mine/cpu.cfs_quota_us", "50000");
  put("sys/fs/cgroup/cpu,cpuacct/mine/cpu.cfs_period_us", "100000");
  EXPECT_EQ(
      cgroup_cpu_quota(root()),
      (CpuQuota{.processors = 0.5, .file = at("sys/fs/cgroup/cpu,cpuacct/mine/cpu.cfs_quota_us")}));
  put("sys/fs/cgroup/cpu,cpuacct/mine/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(cgroup_cpu_quota(root()), std::nullopt);
}

TEST_F(CpuQuotas, AContainersOwnGroupCountsWhenItsPathIsTheHosts) {
  put("proc/self/cgroup", "0::/system.slice/only-the-host-sees-this");
  put("sys/fs/cgroup/cpu.max", "200000 100000");
  ASSERT_TRUE(cgroup_cpu_quota(root()).has_value());
  EXPECT_EQ(cgroup_cpu_quota(root())->processors, 2);
}

TEST_F(CpuQuotas, WithoutGroupsThereIsNone) {
  EXPECT_EQ(cgroup_cpu_quota(root()), std::nullopt);
}

TEST_F(CpuQuotas, NonsenseIsNone) {
  put("proc/self/cgroup", "0::/../..\nnonsense\n:");
  put("sys/fs/cgroup/cpu.max", "many 100000");
  EXPECT_EQ(cgroup_cpu_quota(root()), std::nullopt);
  put("sys/fs/cgroup/cpu.max", "100000 0");
  EXPECT_EQ(cgroup_cpu_quota(root()), std::nullopt);
  put("sys/fs/cgroup/cpu.max", "100000");
  EXPECT_EQ(cgroup_cpu_quota(root()), std::nullopt);
}

TEST_F(TaskLimits, TheOneWithTheLeastRoomIsTold) {
  put("proc/self/cgroup", "0::/a/b");
  put("sys/fs/cgroup/a/b/pids.max", "300");
  put("sys/fs/cgroup/a/b/pids.current", "10");
  put("sys/fs/cgroup/a/pids.max", "400");
  put("sys/fs/cgroup/a/pids.current", "390");
  EXPECT_EQ(cgroup_task_limit(root()),
            (TaskLimit{.most = 400, .in_use = 390, .file = at("sys/fs/cgroup/a/pids.max")}));
  put("sys/fs/cgroup/a/pids.max", "max");
  EXPECT_EQ(cgroup_task_limit(root())->most, 300u);
}

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

TEST(ListOfProcessors, HasALength) {
  EXPECT_EQ(internal::length_of_list("0-3,6"), 5u);
  EXPECT_EQ(internal::length_of_list("0"), 1u);
  for (const char* const wrong : {"", "3-1", "x", "0-", "0,,2"}) {
    EXPECT_EQ(internal::length_of_list(wrong), std::nullopt) << wrong;
  }
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
