// SPDX-License-Identifier: Apache-2.0

// ExecutionText: an execution that failed, as people read it: what each thread and the lock itself
// did, step by step, by names and lines of source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/explore/access_log.h"
#include "harness/stress/explore/arena.h"
#include "harness/stress/instrumentation/source_lines.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/trace/event.h"
#include "harness/stress/trace/trace_step.h"

namespace lockbench::stress::explore {

// What an execution left behind; the memory that it used is not looked at, its addresses are.
struct ToldExecution {
  const AccessLog& log;
  const std::vector<TimedEvent>& events;
  const Arena& arena;
  const void* lock = nullptr;          // the object
  std::vector<std::uint32_t> waiting;  // threads of the program that can never go on
};

class ExecutionText {
 public:
  explicit ExecutionText(const ToldExecution& told) : told_(told) {}

  // Why nothing orders the last hold of the execution after the one before it, of which the thread
  // of the program `before` was the holder. Empty where that is not known.
  std::string why_unordered(std::uint32_t before);

  // `thread 1 reads lock+8 (acquire) at node_lock.h:40`: the access that misused memory, the last
  // one of the log; and who freed that memory.
  std::string misuse();

  // With a mark where `oracle` found what is wrong.
  std::vector<TraceStep> steps(Oracle oracle);

  // `lock+8`: a word, named alike wherever this execution is told.
  std::string word(const void* place);

  // ` (node_lock.h:40)`: the line of the access that returns to `code`; empty where that is not
  // known.
  std::string line_of(const void* code);

 private:
  std::string block_name(const Block& block);
  std::string place_of(const CallStack& stack);
  TraceStep step_of(const Access& access);
  std::string text_of(const Access& access);
  std::vector<bool> wrong_accesses(Oracle oracle) const;

  const ToldExecution told_;
  SourceLines lines_;
  std::map<const void*, std::size_t> numbers_;  // of blocks, and of words on stacks
};

}  // namespace lockbench::stress::explore
