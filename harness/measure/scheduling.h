// SPDX-License-Identifier: Apache-2.0

// Scheduling: how much of the processors the workers of a trial got, and how much they were denied.
//
// The kernel counts both for each thread in nanoseconds, so the figures hold for windows of 20 ms,
// for which the clock ticks of /proc/stat are too coarse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string_view>
#include <sys/types.h>

namespace lockbench {

// One worker, as the kernel knows it. Any thread of this process may read it while it lives; of a
// worker that is a process, its parent too.
struct WorkerId {
  pid_t task = 0;
  clockid_t cpu_clock = CLOCK_MONOTONIC;

  // Of the calling thread, which is a process's only one if `own_process`.
  static WorkerId of_caller(bool own_process);
};

// What a worker used so far. Absent where the kernel does not tell.
struct Scheduled {
  std::optional<double> ran_s;
  std::optional<double> delayed_s;  // it was runnable, and waited for a processor

  static Scheduled now(const WorkerId& worker);
};

// Written by the worker: who it is, before it arrives; what it used in all, when it has left.
struct WorkerRecord {
  WorkerId id;
  Scheduled left;
};

// What one worker used between two readings.
struct WorkerShare {
  double ran_s = 0;
  double delayed_s = 0;
};

// Absent where one of the readings is. The kernel counts a delay when it ends, so one that began
// before the window is counted in it: what exceeds the window is taken off.
std::optional<WorkerShare> share_between(const Scheduled& before, const Scheduled& after,
                                         double window_s);

// At most so many workers are read, spread evenly over all: a reading takes microseconds.
inline constexpr std::uint32_t kMostWorkersRead = 64;

// What is known of the workers of a trial in its window.
struct WindowOfWorkers {
  std::uint32_t workers = 1;
  std::uint32_t processors = 1;  // that they may use
  double window_s = 0;
  double process_s = 0;               // processor time of the whole process in the window
  std::span<const WorkerShare> used;  // by the workers that were read, all or some of them
};

// The longest delay of one worker, as a share of the window. Absent without readings.
std::optional<double> run_delay_share(const WindowOfWorkers& window);

// Of the processor time that the workers could have used, the share that they did not get though
// they wanted it: a lower bound. Workers that wait for each other do not count: of w workers that
// are runnable on p < w processors, p / w can run. Absent without readings.
std::optional<double> denied_cpu_share(const WindowOfWorkers& window);

namespace internal {

// "<ns that it ran> <ns that it waited> <times that it got a processor>".
std::optional<double> delay_in(std::string_view schedstat);

}  // namespace internal

}  // namespace lockbench
