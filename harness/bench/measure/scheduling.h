// SPDX-License-Identifier: Apache-2.0

// Scheduling: how much processor time the workers of a trial got, and how much they were denied.
//
// The kernel counts both in nanoseconds for each thread, so the figures are meaningful for windows
// of 20 ms. The clock ticks of /proc/stat are too coarse for these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string_view>
#include <sys/types.h>

namespace lockbench {

// One worker, by the kernel's identifiers. Any thread of this process may read them while the
// worker lives. If the worker is a process, its parent may read them, too.
struct WorkerId {
  pid_t task = 0;
  clockid_t cpu_clock = CLOCK_MONOTONIC;

  // The identifiers of the calling thread. `own_process`: it is the only thread of its process.
  static WorkerId of_caller(bool own_process);
};

// The processor times of a worker so far. Absent if the kernel does not report it.
struct Scheduled {
  std::optional<double> ran_s;
  std::optional<double> delayed_s;  // time in which it was runnable and waited for a processor

  static Scheduled now(const WorkerId& worker);
};

// Written by the worker: its identifiers before it arrives, and its total use after it has left.
struct WorkerRecord {
  WorkerId id;
  Scheduled left;
};

// The processor times of one worker between two readings.
struct WorkerShare {
  double ran_s = 0;
  double delayed_s = 0;
};

// Absent if one of the readings is absent. The kernel counts a delay when it ends, so a delay that
// began before the window is included; the result is therefore limited to the length of the window.
std::optional<WorkerShare> share_between(const Scheduled& before, const Scheduled& after,
                                         double window_s);

// At most this number of workers are read, spread evenly over all, because a reading takes
// microseconds.
inline constexpr std::uint32_t kMostWorkersRead = 64;

// The known facts about the workers of a trial in its window.
struct WindowOfWorkers {
  std::uint32_t workers = 1;
  std::uint32_t processors = 1;  // number of processors that they may use
  double window_s = 0;
  double process_s = 0;               // processor time of the whole process in the window
  std::span<const WorkerShare> used;  // by the workers that were read: all or some
};

// The longest delay of one worker, as a share of the window. Absent without readings.
std::optional<double> run_delay_share(const WindowOfWorkers& window);

// The share of the processor time that the workers could have used, wanted to use and did not get.
// This is a lower bound. The time in which workers wait for each other does not count: of w workers
// that are runnable on p < w processors, p / w can run. Absent without readings.
std::optional<double> denied_cpu_share(const WindowOfWorkers& window);

namespace internal {

// "<ns that it ran> <ns that it waited> <number of times that it got a processor>".
std::optional<double> delay_in(std::string_view schedstat);

}  // namespace internal

}  // namespace lockbench
