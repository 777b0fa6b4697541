// SPDX-License-Identifier: Apache-2.0

// WeakProgram: a litmus test of memory models: what each thread does with a few words. As text:
//   x=1.rlx F.sc y.acq | y=1.rel x!2.ar | x+1.sc x?0:3.ar
// x=1 stores 1, y loads, x!2 exchanges, x+1 adds, x?0:3 compares with 0 and exchanges for 3, F is a
// fence, H a heavy barrier. The orders are rlx, acq, rel, ar and sc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stress/explore/memory/memory.h"

namespace lockbench::stress::explore {

// More preemptions than any execution of these programs has.
inline constexpr std::uint32_t kUnbounded = 1000;

inline constexpr std::size_t kWeakWords = 4;  // x, y, z and w

struct WeakOperation {
  enum Kind { kLoad, kStore, kExchange, kAdd, kCompare, kFence, kHeavyBarrier };
  Kind kind = kLoad;
  std::size_t word = 0;
  int value = 0;
  int expected = 0;
  std::memory_order order = std::memory_order_relaxed;

  bool has_word() const { return kind != kFence && kind != kHeavyBarrier; }
  bool reads() const { return has_word() && kind != kStore; }
  bool may_write() const { return has_word() && kind != kLoad; }
  // The order of a compare-exchange that does not exchange.
  std::memory_order failure() const {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    return order == std::memory_order_release ? std::memory_order_relaxed : order;
  }
};

using WeakProgram = std::vector<std::vector<WeakOperation>>;

// The values that each thread read, in order, then those of the words in the end.
using WeakOutcome = std::vector<int>;

// Ends the process where the text is none.
WeakProgram weak_program_from(std::string_view text);
std::string to_text(const WeakProgram& program);

// True if an outcome is the one that is written so: `1 0` for what was read, `*` for anything,
// `x=2` for the end: "1 * x=2".
bool is_outcome(std::string_view text, const WeakOutcome& outcome);

// The possible outcomes of a program.
struct Explored {
  std::set<WeakOutcome> outcomes;
  std::uint64_t finished = 0;  // executions, without those that were left in the middle
};
// The outcomes that the exhaustive search of the simulator shows.
Explored explored(const WeakProgram& program, MemoryModel memory_model, std::uint32_t preemptions);
// The same under c11 by GraphSearch, which finishes one execution for each graph.
Explored explored_by_graphs(const WeakProgram& program);

// The outcomes that ISO C++20 allows, by its axioms: every candidate execution is looked at.
struct Axioms {
  bool load_buffering = false;  // executions in which sequenced-before and reads-from have a cycle
  // The order of sequentially consistent operations as in RC11 (O. Lahav et al., 2017), which
  // C++20 words differently.
  bool rc11 = false;
};
Explored allowed_by_axioms(const WeakProgram& program, const Axioms& axioms);

}  // namespace lockbench::stress::explore
