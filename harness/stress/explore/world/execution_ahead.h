// SPDX-License-Identifier: Apache-2.0

// ExecutionAhead: the program and the schedule of the execution that is under way, in memory that
// outlives the process. They are written before each step, so if the process ends in the middle,
// another one can execute the same again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/stress/explore/memory/memory.h"
#include "harness/stress/explore/strategy.h"

namespace lockbench::stress::explore {

// One process writes, and another one reads after the first has ended.
class ExecutionAhead {
 public:
  // Text and decisions without room are not known afterwards.
  static constexpr std::size_t kMostText = std::size_t{1} << 16;
  static constexpr std::size_t kMostDecisions = std::size_t{1} << 20;

  // ---- by the process that executes
  void begin(const std::string& program, MemoryModel memory_model, const Conditions& conditions) {
    decisions_.store(0, std::memory_order_relaxed);
    text_bytes_ = program.size();
    if (program.size() <= kMostText) std::memcpy(text_, program.data(), program.size());
    memory_model_ = memory_model;
    conditions_ = conditions;
    restless_ = false;
    // relaxed: the other process reads when this one has ended.
    under_way_.store(true, std::memory_order_relaxed);
  }
  void decide(Option option) {
    const std::uint32_t number = decisions_.load(std::memory_order_relaxed);
    if (number < kMostDecisions) schedule_[number] = option;
    decisions_.store(number + 1, std::memory_order_relaxed);
  }
  // The execution is one of a restless strategy, and ends its schedule with a kSettle at the
  // latest.
  void note_restless() { restless_ = true; }
  void end() { under_way_.store(false, std::memory_order_relaxed); }

  // ---- by the other process
  bool is_known() const {
    return under_way_.load(std::memory_order_relaxed) && text_bytes_ <= kMostText &&
           decisions_.load(std::memory_order_relaxed) <= kMostDecisions;
  }
  std::string program() const { return {text_, text_bytes_}; }
  MemoryModel memory_model() const { return memory_model_; }
  Schedule schedule() const {
    const Option* const end = schedule_ + decisions_.load(std::memory_order_relaxed);
    Schedule schedule{conditions_, {schedule_, end}};
    const bool settled = std::find(schedule_, end, Option{Option::kSettle}) != end;
    if (restless_ && !settled) schedule.decisions.push_back({Option::kSettle});
    return schedule;
  }

 private:
  std::atomic<bool> under_way_{false};
  std::atomic<std::uint32_t> decisions_{0};
  MemoryModel memory_model_ = MemoryModel::kTso;
  Conditions conditions_;
  bool restless_ = false;
  std::size_t text_bytes_ = 0;
  char text_[kMostText];
  Option schedule_[kMostDecisions];
};

}  // namespace lockbench::stress::explore
