// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/cgroup.h"

#include <algorithm>
#include <sstream>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "harness/kernel/kernel_file.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

bool lists(const std::string& controllers, const std::string& controller) {
  return ("," + controllers + ",").find("," + controller + ",") != std::string::npos;
}

// The folders where the hierarchy of a line `number:controllers:path` of /proc/self/cgroup may be
// mounted.
std::vector<fs::path> mounts_of(const fs::path& root, const std::string& controllers,
                                const std::string& controller) {
  const fs::path all = root / "sys/fs/cgroup";
  if (controllers.empty()) return {all, all / "unified"};  // version 2
  if (!lists(controllers, controller)) return {};
  return {all / controllers, all / controller};
}

// Folders of the groups that contain this process, the innermost first. Inside a container, the
// path may exist only on the host; the mounted folder is then the container's own group.
std::vector<fs::path> groups_of(const fs::path& root, const std::string& controller) {
  std::vector<fs::path> groups;
  std::vector<std::pair<dev_t, ino_t>> known;
  // Several mounts of a hierarchy, or links to one, are one.
  const auto add = [&](const fs::path& folder) {
    struct stat found;
    if (stat(folder.c_str(), &found) != 0) return;
    const std::pair identity(found.st_dev, found.st_ino);
    if (std::find(known.begin(), known.end(), identity) != known.end()) return;
    known.push_back(identity);
    groups.push_back(folder);
  };
  std::istringstream lines(kernel_text(root / "proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (const fs::path& mount : mounts_of(root, controllers, controller)) {
      fs::path below = fs::path(line.substr(second + 1)).lexically_normal().relative_path();
      for (; !below.empty(); below = below.parent_path()) {
        add(mount / below);
      }
      add(mount);
    }
  }
  return groups;
}

// `cpu.max` of version 2 is `<quota or max> <period>`, in µs; version 1 has a file for each.
std::optional<CpuQuota> quota_of(const fs::path& group) {
  const auto quota = [](std::uint64_t per_period, std::uint64_t period, const fs::path& file) {
    return period == 0 ? std::nullopt
                       : std::optional(CpuQuota{.processors = static_cast<double>(per_period) /
                                                              static_cast<double>(period),
                                                .file = file.string()});
  };
  if (const std::optional<std::string> text = kernel_text(group / "cpu.max")) {
    const std::size_t blank = text->find(' ');
    const auto per_period = whole_number(text->substr(0, blank));
    if (!per_period || blank == std::string::npos) return std::nullopt;
    return quota(*per_period, whole_number(text->substr(blank + 1)).value_or(0), group / "cpu.max");
  }
  const auto per_period = kernel_number(group / "cpu.cfs_quota_us");  // -1: none
  if (!per_period) return std::nullopt;
  return quota(*per_period, kernel_number(group / "cpu.cfs_period_us").value_or(0),
               group / "cpu.cfs_quota_us");
}

}  // namespace

std::optional<CpuQuota> cgroup_cpu_quota(const fs::path& root) {
  std::optional<CpuQuota> tightest;
  for (const fs::path& group : groups_of(root, "cpu")) {
    const std::optional<CpuQuota> quota = quota_of(group);
    if (quota && (!tightest || quota->processors < tightest->processors)) tightest = quota;
  }
  return tightest;
}

std::optional<Throttling> cgroup_throttling(const fs::path& root) {
  std::optional<Throttling> sum;
  for (const fs::path& group : groups_of(root, "cpu")) {
    std::istringstream lines(kernel_text(group / "cpu.stat").value_or(""));
    std::uint64_t count = 0;
    for (std::string name; lines >> name >> count;) {
      const auto amount = static_cast<double>(count);
      if (name == "nr_throttled") {
        if (!sum) sum.emplace();
        sum->periods += count;
      } else if (sum && name == "throttled_usec") {  // version 2
        sum->stopped_s += amount * 1e-6;
      } else if (sum && name == "throttled_time") {  // version 1, in ns
        sum->stopped_s += amount * 1e-9;
      }
    }
  }
  return sum;
}

std::optional<double> cgroup_cpu_weight(const fs::path& root) {
  for (const fs::path& group : groups_of(root, "cpu")) {
    for (const auto& [file, standard] : {std::pair("cpu.weight", 100U), {"cpu.shares", 1024U}}) {
      const auto weight = kernel_number(group / file);
      if (weight && *weight != standard) return static_cast<double>(*weight) / standard;
    }
  }
  return std::nullopt;
}

std::optional<TaskLimit> cgroup_task_limit(const fs::path& root) {
  const auto left = [](const TaskLimit& limit) {
    return limit.most > limit.in_use ? limit.most - limit.in_use : 0;
  };
  std::optional<TaskLimit> tightest;
  for (const fs::path& group : groups_of(root, "pids")) {
    const auto most = kernel_number(group / "pids.max");  // `max`: none
    if (!most) continue;
    const TaskLimit limit{.most = *most,
                          .in_use = kernel_number(group / "pids.current").value_or(0),
                          .file = (group / "pids.max").string()};
    if (!tightest || left(limit) < left(*tightest)) tightest = limit;
  }
  return tightest;
}

std::uint64_t out_of_memory_kills(const fs::path& root) {
  std::vector<fs::path> files;
  for (const fs::path& group : groups_of(root, "memory")) {
    files.push_back(group / "memory.events");       // version 2
    files.push_back(group / "memory.oom_control");  // version 1
  }
  files.push_back(root / "proc/vmstat");
  for (const fs::path& file : files) {
    std::istringstream lines(kernel_text(file).value_or(""));
    std::uint64_t count = 0;
    for (std::string name; lines >> name >> count;) {
      if (name == "oom_kill") return count;
    }
  }
  return 0;
}

}  // namespace lockbench
