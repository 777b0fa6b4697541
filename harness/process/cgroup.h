// SPDX-License-Identifier: Apache-2.0

// What the control groups of this process leave to it, in either version of them.
//
// A limit of any group around the process binds it: the lowest counts. Groups outside a
// container's view bind, too, and cannot be seen from within.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockbench {

// CPU time, in processors' worth of it.
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

// Absent when there is none. `root`: what stands before /proc and /sys.
std::optional<CpuQuota> cgroup_cpu_quota(const std::filesystem::path& root = "/");
std::optional<TaskLimit> cgroup_task_limit(const std::filesystem::path& root = "/");

// How many processes the kernel has killed for want of memory: those of this process's group, or,
// where groups do not say, of the machine. `root`: as above.
std::uint64_t out_of_memory_kills(const std::filesystem::path& root = "/");

}  // namespace lockbench
