// SPDX-License-Identifier: Apache-2.0

// MachineWatch: waits until others leave the processors to a run, but not longer than a given
// patience.
//
// After that time, the run measures a busy machine: trials are not repeated because of
// interference, and the interference is recorded. With a patience of 0, this is so from the start.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "harness/bench/measure/processor_use.h"
#include "harness/bench/measure/sample.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/record/surroundings.h"
#include "harness/kernel/processors.h"

namespace lockbench {

inline constexpr Nanoseconds kUsualPatience = std::chrono::seconds(60);

class MachineWatch {
 public:
  // `say` gets one line when the watch starts to wait, with the reason, and one when its patience
  // ends. `earlier`: what earlier sessions of this run recorded.
  MachineWatch(Nanoseconds patience, Surroundings earlier,
               std::function<void(const std::string&)> say);

  // Reads the facts of the machine, records them, and prints which problems affect measurements.
  void note_start();
  void note_end();

  // Returns when others use the processors no more than the limit allows, when the patience has
  // ended, or when a signal was noted.
  void wait_for_quiet();

  // Adds the recent use by other processes to the sample of a trial whose window was too short for
  // that figure. Call it after each trial.
  void note_trial(Sample& sample);

  // Records that a trial was disturbed after the patience had ended.
  void note_busy(const std::string& reason);

  // True if trials with interference are accepted.
  bool accepts_interference() const { return patience_left_ <= Nanoseconds::zero(); }

  // How long it has waited so far.
  Nanoseconds waited() const { return patience_ - patience_left_; }

  const Surroundings& surroundings() const { return surroundings_; }

 private:
  // The work of the processors, and how much of it lockbench and its trials used, up to one point
  // in time.
  struct Reading {
    ProcessorUse all;
    double own_s = 0;
  };

  const Nanoseconds patience_;
  Nanoseconds patience_left_;
  const std::vector<int> processors_ = allowed_processor_numbers();
  std::deque<Reading> readings_;  // of the last kLook, and one older reading
  Surroundings surroundings_;
  std::function<void(const std::string&)> say_;
};

}  // namespace lockbench
