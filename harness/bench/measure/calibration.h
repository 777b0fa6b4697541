// SPDX-License-Identifier: Apache-2.0

// Calibration: what the measurement itself costs on this machine at this time.
//
// meta.json contains these figures beside those that they affect. They are not subtracted from any
// row, so a reader sees both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/settings.h"

namespace lockbench {

// How long a spin took in fact.
struct HoldAccuracy {
  Nanoseconds asked{0};
  double got_ns = 0;  // median of several series of holds

  bool operator==(const HoldAccuracy&) const = default;
};

// How fast a kind of core is beside the fastest: the steps of a spin, timed on one core of each.
struct CoreSpeed {
  std::string kind;  // fast, middle, slow
  double speed = 0;  // of the fastest kind: 1

  bool operator==(const CoreSpeed&) const = default;
};

struct Calibration {
  double clock_ns = 0;  // one read of the clock

  // The time of one operation of `counter` on one key under `none` with one thread: the cost of the
  // measured loop itself. It is measured without timing, with a random 1 of 64 operations timed,
  // and with every operation timed. Absent if this machine was too busy, or had no processor to
  // spare, to measure it.
  std::optional<double> floor_untimed_ns;
  std::optional<double> floor_sampled_ns;
  std::optional<double> floor_timed_ns;

  std::vector<HoldAccuracy> holds;  // spins of 100 ns to 1 ms

  std::optional<std::vector<CoreSpeed>> core_speeds;  // speeds_of_cores()

  bool operator==(const Calibration&) const = default;
};

// The fastest kind first. Absent if this process may use cores of one kind alone, or if the kernel
// binds no thread.
std::optional<std::vector<CoreSpeed>> speeds_of_cores();

// Takes about 0.2 s. Requires that no trial runs at the same time.
Calibration calibrate();

// The time of one operation of `counter` on one key with one thread, under a word that an exchange
// takes and a store gives back. Absent if this machine was too busy.
//
// This is more than the floor and the two accesses: without a lock, a processor works on several
// operations at once, and an atomic exchange on x86 waits for all accesses before it and is waited
// for by all after it.
std::optional<double> locked_operation_ns();

}  // namespace lockbench
