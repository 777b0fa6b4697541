// SPDX-License-Identifier: Apache-2.0

// AdviceCase: the case for which a user needs a lock, and the plan that measures it. Pure.
//
//   case ─▶ candidates ─▶ plan of one cell each ─▶ (trials) ─▶ scripts/commands/advise.py
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/expand.h"

namespace lockbench {

// The ability that is asked of a lock. question.h makes it of flags.
enum class QuestionKind {
  kMutex,      // one thread at a time
  kReaders,    // a share of the operations only reads
  kNested,     // a holder locks again
  kSeveral,    // several keys at once
  kCapacity,   // several threads may hold a key
  kProcesses,  // processes lock, not threads
  kMachines,   // several machines lock
};

struct AdviceCase {
  QuestionKind kind = QuestionKind::kMutex;
  Cell cell{.workload = {.name = "counter", .scenario = {}},
            .threads = 0,
            .keys = 0,
            .hold = {.kind = Work::Kind::kSpin, .duration = Nanoseconds(200)}};
  // How often the threads lock. At most one of these is given; if none, several loads are measured.
  std::optional<Work> think;
  std::vector<std::optional<Load>> loads;     // absent in the list: saturated
  std::optional<std::uint64_t> rate_per_s;    // operations of all threads together
  std::optional<Nanoseconds> every;           // from one operation of a thread to its next
  std::optional<std::uint64_t> memory_bytes;  // maximum for the locks
  std::optional<Nanoseconds> wait_limit;      // the p99 wait must stay below it
  bool fair = false;                          // no thread may starve
  std::uint32_t capacity = 0;                 // of kCapacity: threads that may hold a key
  std::vector<PrimitiveSpec> services;        // not empty: the lock must be one of these
  // Not empty: all threads run on the cores of this kind, as `fast`. Empty: on all cores.
  std::string cores;
  // Given: the question is from how many threads on, up to the cell's, `when` beats `beats`.
  std::optional<PrimitiveSpec> when;
  std::optional<PrimitiveSpec> beats;
};

// Operations per second of all threads together, if the case says it.
std::optional<double> rate_of(const AdviceCase& wanted);

// The name of a kind of cores in a case, or `all`, which is none. InvalidArgument if the text is
// neither. Whether there are such cores says check_cores().
absl::StatusOr<std::string> parse_cores(std::string_view text);

// All threads run on these cores: a result of parse_cores().
void run_on(const std::string& cores, AdviceCase& wanted);

// InvalidArgument if the case names a kind of cores that is not among `kinds`, which is empty on a
// machine with one kind. `whose`: `this machine`.
absl::Status check_cores(const AdviceCase& wanted, const std::vector<std::string>& kinds,
                         std::string_view whose);

// The case with its loads: the one that its rate comes to; if nothing says how often the threads
// lock, low, medium and high loads of those that they can reach, and the saturated loop. No loads
// if the case has a think time, or a hold whose load is unknown: then the think time counts. A
// single load is also in the cell, with its think time. An error says which flag is wrong.
absl::StatusOr<AdviceCase> with_loads(const AdviceCase& wanted, const CellCheck& check);

// The primitives that make sense for the case, with suitable parameters: stripes and buckets for
// its number of threads, within its memory. They follow from the kind of the question; if it names
// two, these. First come those that people have without a library.
std::vector<PrimitiveSpec> candidates_for(const AdviceCase& wanted);

// Return whether the plan has the map of readers and writers, if its budget is long enough; and
// whether it was not.
bool draws_map(const AdviceCase& wanted);
bool leaves_out_map(const AdviceCase& wanted, const Plan& plan);

// kAsked: by the user, who gets no longer plan. kUsual: a case that needs more time gets it.
enum class BudgetKind { kAsked, kUsual };

// One cell at each load for each candidate that `check` accepts, with enough blocks to compare them
// and windows as long as `budget` allows. If the budget is too short for all loads and the user
// named none, it has fewer loads; then it leaves out the map. With a limit of waits, the cells are
// open loops at several rates. InvalidArgument if a budget that was asked is too short even so; the
// message says how much is needed.
absl::StatusOr<Plan> advice_plan(const AdviceCase& wanted, Nanoseconds budget,
                                 const CellCheck& check, BudgetKind kind = BudgetKind::kAsked);

// The numbers of threads that the question needs: the number of the cell, and for two primitives
// also the powers of two below it.
std::vector<std::uint32_t> threads_for(const AdviceCase& wanted);

// The same for models of machines, which need no budget: fewer and shorter windows, no high load if
// the user named none, so that the answer comes in seconds, and in addition stripes over the C++
// library's mutex, since machine models have no locks of other libraries. `title`: of the preset.
absl::StatusOr<Plan> quick_advice_plan(const AdviceCase& wanted, const CellCheck& check,
                                       const std::string& title, std::uint32_t blocks);

// The case, with its loads, as input for scripts/commands/advise.py: fields with the names of
// columns, and the catalog's description of each primitive.
std::string case_json(const AdviceCase& wanted);

}  // namespace lockbench
