// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/cgroup.h"

#include <gtest/gtest.h>

#include "tests/kernel/kernel_files.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

using CpuQuotas = KernelFiles;
using CpuWeights = KernelFiles;
using TaskLimits = KernelFiles;
using Throttled = KernelFiles;

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

TEST_F(Throttled, AllGroupsAroundTheProcessAreCounted) {
  put("proc/self/cgroup", "0::/outer/inner");
  put("sys/fs/cgroup/outer/inner/cpu.stat",
      "usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250000");
  put("sys/fs/cgroup/outer/cpu.stat",
      "usage_usec 9\nnr_periods 10\nnr_throttled 2\nthrottled_usec 1000000\nnr_bursts 0");
  put("sys/fs/cgroup/cpu.stat", "usage_usec 9");
  EXPECT_EQ(cgroup_throttling(root()), (Throttling{.periods = 6, .stopped_s = 1.25}));
}

TEST_F(Throttled, VersionOneCountsNanosecondsAndALinkToItsHierarchyIsNoSecondOne) {
  put("proc/self/cgroup", "2:cpu,cpuacct:/mine\n0::/");
  put("sys/fs/cgroup/cpu,cpuacct/mine/cpu.stat",
      "nr_periods 10\nnr_throttled 3\nthrottled_time 500000000");
  fs::create_directory_symlink("cpu,cpuacct", root() / "sys/fs/cgroup/cpu");
  EXPECT_EQ(cgroup_throttling(root()), (Throttling{.periods = 3, .stopped_s = 0.5}));
}

TEST_F(Throttled, IsUnknownIfNoGroupCountsIt) {
  EXPECT_EQ(cgroup_throttling(root()), std::nullopt);
  put("proc/self/cgroup", "0::/");
  put("sys/fs/cgroup/cpu.stat", "usage_usec 9");
  EXPECT_EQ(cgroup_throttling(root()), std::nullopt);
}

TEST_F(CpuWeights, TheInnermostThatIsNotTheDefaultIsRelativeToIt) {
  put("proc/self/cgroup", "0::/outer/inner");
  EXPECT_EQ(cgroup_cpu_weight(root()), std::nullopt);
  put("sys/fs/cgroup/outer/cpu.weight", "50");
  put("sys/fs/cgroup/outer/inner/cpu.weight", "100");
  EXPECT_EQ(cgroup_cpu_weight(root()), 0.5);
  put("sys/fs/cgroup/outer/inner/cpu.weight", "300");
  EXPECT_EQ(cgroup_cpu_weight(root()), 3);
}

TEST_F(CpuWeights, VersionOneHasShares) {
  put("proc/self/cgroup", "2:cpu:/mine");
  put("sys/fs/cgroup/cpu/mine/cpu.shares", "1024");
  EXPECT_EQ(cgroup_cpu_weight(root()), std::nullopt);
  put("sys/fs/cgroup/cpu/mine/cpu.shares", "512");
  EXPECT_EQ(cgroup_cpu_weight(root()), 0.5);
}

}  // namespace
}  // namespace lockbench
