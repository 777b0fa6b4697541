// SPDX-License-Identifier: Apache-2.0

// EventCounts: what the processor and the kernel counted for the workers of a trial in its window.
//
// Each worker has a group of hardware events (cycles, instructions, cache misses, branch misses)
// and a software event (migrations), by perf_event_open(2). The kernel schedules a group as a
// whole, so the ratios between its members are of one time. If there are fewer counters than
// events, the kernel takes turns; a count is then scaled by the time enabled / the time running.
//
// Cost         None while the workers run, except that a context switch also saves the counters.
//              Starting and stopping takes one call for each group, some 2 us.
// Source       perf_event_open(2); Intel, "Running Average Power Limit Energy Reporting", 2022.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lockbench {

struct EventCounts {
  std::optional<double> cycles;
  std::optional<double> instructions;
  std::optional<double> cache_misses;
  std::optional<double> branch_misses;
  std::optional<double> migrations;
  std::optional<double> energy_j;  // of all processor packages, other programs included
  std::string missing;             // why counts are absent or are of user mode alone; else empty
};

// The energy counter of one processor package, in microjoules.
struct PackageEnergy {
  std::uint64_t used_uj = 0;
  std::uint64_t range_uj = 0;  // the counter wraps around there
};

class EventCounter {
 public:
  // Opens the counters of these tasks, which count nothing yet. The tasks may be threads of this
  // process or processes that it started.
  explicit EventCounter(std::span<const pid_t> tasks);
  EventCounter(const EventCounter&) = delete;
  EventCounter& operator=(const EventCounter&) = delete;
  ~EventCounter();

  void start();
  void stop();

  // The sums over all tasks between start() and stop(). A count that one of the tasks lacks is
  // absent.
  EventCounts counts() const;

 private:
  struct Group {
    int leader = -1;
    std::vector<int> members;         // the leader is the first of them
    std::vector<std::size_t> events;  // which event each of them counts
  };

  static constexpr std::size_t kEvents = 5;  // cycles to migrations

  void open_hardware(pid_t task);
  void open_software(pid_t task);
  void control(unsigned long request) const;

  const std::size_t tasks_;
  std::vector<Group> groups_;
  bool user_mode_only_ = false;
  int hardware_error_ = 0;  // errno of the first task that got no hardware events
  std::vector<PackageEnergy> energy_before_;
  std::optional<double> energy_j_;
};

namespace internal {

// A count extrapolated from the time in which it was counted. Absent if it never was.
std::optional<double> scaled_count(std::uint64_t count, std::uint64_t enabled_ns,
                                   std::uint64_t running_ns);

// Joules between two readings of all packages. Absent if there are none, or if they differ.
std::optional<double> joules_between(const std::vector<PackageEnergy>& before,
                                     const std::vector<PackageEnergy>& after);

// One line: why perf_event_open() failed, and what to do. `paranoid`: the kernel's setting
// perf_event_paranoid, absent if it is not known.
std::string reason_without_hardware_events(int error, std::optional<int> paranoid);

}  // namespace internal

}  // namespace lockbench
