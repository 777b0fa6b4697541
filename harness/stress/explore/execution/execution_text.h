// SPDX-License-Identifier: Apache-2.0

// ExecutionText: describes a failed execution for the user: each step of the threads and of the
// lock itself, with names and source lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/explore/memory/arena.h"
#include "harness/stress/explore/world/access_log.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/trace/event.h"
#include "harness/stress/trace/trace_text.h"
#include "harness/symbols/source_places.h"

namespace lockbench::stress::explore {

// The records of an execution. Only the addresses of its memory are used; the memory is not read.
struct ToldExecution {
  const AccessLog& log;
  const std::vector<TimedEvent>& events;
  const Arena& arena;
  const void* lock = nullptr;          // address of the lock
  std::vector<std::uint32_t> waiting;  // threads of the program that can never continue
};

class ExecutionText {
 public:
  explicit ExecutionText(const ToldExecution& told) : told_(told) {}

  // Why nothing orders the last hold of the execution after the previous one, whose holder was the
  // thread `before` of the program. Empty if unknown.
  std::string why_unordered(std::uint32_t before);

  // `thread 1 reads lock+8 (acquire) at node_lock.h:40`: the access that misused memory, which is
  // the last one of the log, and the thread that freed this memory.
  std::string misuse();

  // Marks the step at which `oracle` found the failure.
  std::vector<TraceStep> steps(Oracle oracle);

  // `lock+8`: the name of a word, which is the same everywhere in the description of this
  // execution.
  std::string word(const void* location);

  // `node_lock.h:40`: the line of the access that returns to `code`; empty if unknown.
  std::string line_of(const void* code);

 private:
  std::string block_name(const Block& block);
  std::string line_of(const CallStack& stack);
  std::string line_of(const Access& access);
  // The write that leaves its store buffer; null if the log does not have it.
  const Access* write_of(const Access& flush) const;
  std::string since_it_read(const Access& sleep);
  std::string sleepers_left_by(const Access& write) const;
  TraceStep step_of(const Access& access);
  std::string text_of(const Access& access);
  std::vector<bool> wrong_accesses(Oracle oracle) const;

  const ToldExecution told_;
  SourceLines lines_;
  std::map<const void*, std::size_t> numbers_;  // of blocks, and of words on stacks
};

}  // namespace lockbench::stress::explore
