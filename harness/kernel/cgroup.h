// SPDX-License-Identifier: Apache-2.0

// The limits that control groups set for this process, in both versions of control groups.
//
// A limit of any group around the process applies, so the lowest limit counts. Limits of groups
// outside a container's view apply, too, and cannot be read from inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockbench {

// CPU time, as a number of processors.
struct CpuQuota {
  double processors = 0;
  std::string file;  // where it is set

  bool operator==(const CpuQuota&) const = default;
};

// Tasks: threads of all processes of the group.
struct TaskLimit {
  std::uint64_t most = 0;
  std::uint64_t in_use = 0;
  std::string file;  // where it is set

  bool operator==(const TaskLimit&) const = default;
};

// Absent if there is no limit. `root`: the folder that contains proc and sys.
std::optional<CpuQuota> cgroup_cpu_quota(const std::filesystem::path& root = "/");
// How often and for how long the quotas of all groups around this process have stopped threads
// since the groups began.
struct Throttling {
  std::uint64_t periods = 0;  // in which a quota was used up
  double stopped_s = 0;       // summed over the processors on which threads waited for it

  bool operator==(const Throttling&) const = default;
};

// Absent if no group counts it.
std::optional<Throttling> cgroup_throttling(const std::filesystem::path& root = "/");

// The weight in the competition for CPU time, relative to the default, of the innermost group that
// does not have the default; absent: all have it.
std::optional<double> cgroup_cpu_weight(const std::filesystem::path& root = "/");

std::optional<TaskLimit> cgroup_task_limit(const std::filesystem::path& root = "/");

// How many processes the kernel has killed because memory ran out: those of this process's group,
// or, if groups do not report it, those of the machine. `root`: as for cgroup_cpu_quota().
std::uint64_t out_of_memory_kills(const std::filesystem::path& root = "/");

}  // namespace lockbench
