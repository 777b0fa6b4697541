// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/event_counts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockbench {
namespace {

struct Event {
  std::uint32_t type;
  std::uint64_t config;
};

// In the order of EventCounts.
constexpr std::array<Event, 5> kEventList{{{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                                           {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                                           {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
                                           {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
                                           {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS}}};
constexpr std::size_t kMigrations = 4;

// Returns the descriptor, or -1 and errno.
int open_event(const Event& event, pid_t task, int leader, bool user_mode_only) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = leader == -1;
  attributes.exclude_kernel = user_mode_only;
  attributes.exclude_hv = user_mode_only;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr int kAnyProcessor = -1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, task, kAnyProcessor, leader, PERF_FLAG_FD_CLOEXEC));
}

template <class T>
std::optional<T> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  T number{};
  if (in >> number) return number;
  return std::nullopt;
}

// Empty if the kernel reports no packages or does not let this user read one of them.
std::vector<PackageEnergy> read_energy() {
  std::vector<PackageEnergy> packages;
  std::error_code error;
  for (const auto& zone : std::filesystem::directory_iterator("/sys/class/powercap", error)) {
    std::string name;
    std::ifstream(zone.path() / "name") >> name;
    if (!name.starts_with("package-")) continue;
    const auto used = number_in<std::uint64_t>(zone.path() / "energy_uj");
    const auto range = number_in<std::uint64_t>(zone.path() / "max_energy_range_uj");
    if (!used || !range) return {};
    packages.push_back({.used_uj = *used, .range_uj = *range});
  }
  return packages;
}

}  // namespace

EventCounter::EventCounter(std::span<const pid_t> tasks) : tasks_(tasks.size()) {
  for (const pid_t task : tasks) {
    open_hardware(task);
    open_software(task);
  }
}

EventCounter::~EventCounter() {
  for (const Group& group : groups_) {
    for (const int member : group.members) close(member);
  }
}

void EventCounter::open_hardware(pid_t task) {
  if (hardware_error_ != 0) return;
  Group group;
  group.leader = open_event(kEventList[0], task, -1, user_mode_only_);
  const bool refused = group.leader == -1 && (errno == EACCES || errno == EPERM);
  if (refused && !user_mode_only_) {
    user_mode_only_ = true;
    group.leader = open_event(kEventList[0], task, -1, user_mode_only_);
  }
  if (group.leader == -1) {
    hardware_error_ = errno;
    return;
  }
  group.members = {group.leader};
  group.events = {0};
  for (std::size_t i = 1; i < kMigrations; ++i) {
    const int member = open_event(kEventList[i], task, group.leader, user_mode_only_);
    if (member == -1) continue;  // this processor does not count it
    group.members.push_back(member);
    group.events.push_back(i);
  }
  groups_.push_back(std::move(group));
}

void EventCounter::open_software(pid_t task) {
  const int leader = open_event(kEventList[kMigrations], task, -1, false);
  if (leader == -1) return;
  groups_.push_back({.leader = leader, .members = {leader}, .events = {kMigrations}});
}

void EventCounter::control(unsigned long request) const {
  for (const Group& group : groups_) ioctl(group.leader, request, PERF_IOC_FLAG_GROUP);
}

void EventCounter::start() {
  energy_before_ = read_energy();
  control(PERF_EVENT_IOC_ENABLE);
}

void EventCounter::stop() {
  control(PERF_EVENT_IOC_DISABLE);
  energy_j_ = internal::joules_between(energy_before_, read_energy());
}

EventCounts EventCounter::counts() const {
  std::array<double, kEvents> sums{};
  std::array<std::size_t, kEvents> counted{};
  for (const Group& group : groups_) {
    // The number of values, the two times, the values.
    std::array<std::uint64_t, 3 + kEvents> values{};
    if (read(group.leader, values.data(), sizeof values) <= 0) continue;
    for (std::size_t i = 0; i < std::min<std::size_t>(values[0], group.events.size()); ++i) {
      const auto count = internal::scaled_count(values[3 + i], values[1], values[2]);
      if (!count) continue;
      sums[group.events[i]] += *count;
      ++counted[group.events[i]];
    }
  }
  const auto sum_of = [&](std::size_t event) {
    return tasks_ != 0 && counted[event] == tasks_ ? std::optional(sums[event]) : std::nullopt;
  };
  EventCounts counts{.cycles = sum_of(0),
                     .instructions = sum_of(1),
                     .cache_misses = sum_of(2),
                     .branch_misses = sum_of(3),
                     .migrations = sum_of(kMigrations),
                     .energy_j = energy_j_,
                     .missing = {}};
  if (hardware_error_ != 0) {
    counts.missing = internal::reason_without_hardware_events(
        hardware_error_, number_in<int>("/proc/sys/kernel/perf_event_paranoid"));
  } else if (user_mode_only_) {
    counts.missing = "hardware events of user mode only: perf_event_paranoid is above 1";
  }
  return counts;
}

namespace internal {

std::optional<double> scaled_count(std::uint64_t count, std::uint64_t enabled_ns,
                                   std::uint64_t running_ns) {
  if (enabled_ns == 0) return 0.0;  // the task did not run: it caused no event
  if (running_ns == 0) return std::nullopt;
  return static_cast<double>(count) * static_cast<double>(enabled_ns) /
         static_cast<double>(running_ns);
}

std::optional<double> joules_between(const std::vector<PackageEnergy>& before,
                                     const std::vector<PackageEnergy>& after) {
  if (before.empty() || before.size() != after.size()) return std::nullopt;
  double microjoules = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::uint64_t from = before[i].used_uj;
    const std::uint64_t to = after[i].used_uj;
    microjoules += static_cast<double>(to >= from ? to - from : to + before[i].range_uj - from);
  }
  return microjoules * 1e-6;
}

std::string reason_without_hardware_events(int error, std::optional<int> paranoid) {
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return "no hardware events: this machine offers no counters, as most virtual machines";
  }
  if (error == EACCES || error == EPERM) {
    const std::string setting = paranoid ? std::to_string(*paranoid) : "unknown";
    return "no hardware events: perf_event_open is forbidden (perf_event_paranoid is " + setting +
           "; 2 or less is needed, and a container must allow the call)";
  }
  if (error == EMFILE) return "no hardware events: too many open files; raise ulimit -n";
  if (error == ENOSYS) return "no hardware events: this kernel has no perf_event_open";
  return std::string("no hardware events: ") + std::strerror(error);
}

}  // namespace internal

}  // namespace lockbench
