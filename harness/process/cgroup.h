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
std::optional<TaskLimit> cgroup_task_limit(const std::filesystem::path& root = "/");

// How many processes the kernel has killed because memory ran out: those of this process's group,
// or, if groups do not report it, those of the machine. `root`: as for cgroup_cpu_quota().
std::uint64_t out_of_memory_kills(const std::filesystem::path& root = "/");

}  // namespace lockbench
