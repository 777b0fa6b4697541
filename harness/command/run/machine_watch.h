// SPDX-License-Identifier: Apache-2.0

// MachineWatch: waits until others leave the processors to a run, as long as the patience lasts.
//
// Once it has ended, the run measures a busy machine: trials are taken as they are, and what
// disturbed them is recorded. A patience of 0 takes them so from the start.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "harness/measure/processor_use.h"
#include "harness/measure/sample.h"
#include "harness/plan/cell.h"
#include "harness/record/surroundings.h"

namespace lockbench {

inline constexpr Nanoseconds kUsualPatience = std::chrono::seconds(60);

class MachineWatch {
 public:
  // `say` is told, in one line each, that the watch waits and what for, and that its patience
  // ended. `earlier`: what sessions before this one recorded.
  MachineWatch(Nanoseconds patience, Surroundings earlier,
               std::function<void(const std::string&)> say);

  // Reads the facts of the machine, records them, and says which problems affect measurements.
  void note_start();
  void note_end();

  // Returns when others use the processors no more than the limit allows, when the patience has
  // ended, or when a signal was noted.
  void wait_for_quiet();

  // Fills in what others used of late for a trial whose window was too short to tell. Called when
  // each trial has ended.
  void note_trial(Sample& sample);

  // A trial was disturbed although the patience has ended.
  void note_busy(const std::string& reason);

  // Trials are taken as they are.
  bool accepts_interference() const { return patience_left_ <= Nanoseconds::zero(); }

  // How long it has waited so far.
  Nanoseconds waited() const { return patience_ - patience_left_; }

  const Surroundings& surroundings() const { return surroundings_; }

 private:
  // What the processors did, and what lockbench and its trials used of it, up to some moment.
  struct Reading {
    ProcessorUse all;
    double own_s = 0;
  };

  const Nanoseconds patience_;
  Nanoseconds patience_left_;
  const std::vector<int> processors_ = allowed_processor_numbers();
  std::deque<Reading> readings_;  // of the last kLook, and one before
  Surroundings surroundings_;
  std::function<void(const std::string&)> say_;
};

}  // namespace lockbench
