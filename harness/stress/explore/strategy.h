// SPDX-License-Identifier: Apache-2.0

// Strategy: decides what happens next if there are several options.
//
// If the decisions are a function of the arguments of choose() and a seed, an execution can be
// repeated exactly under the same conditions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockbench::stress::explore {

// Most stores of a word that can be chosen in addition to the last one.
inline constexpr std::size_t kMostAges = 24;

// Something that may happen next.
struct Option {
  enum Kind : std::uint8_t {
    kRun,       // `thread` performs its next access
    kFlush,     // the oldest store of `thread` leaves its buffer
    kTime,      // time advances to the next deadline
    kSpurious,  // the next operation of `thread` fails or returns spuriously
    kRead,      // a load or update reads the store that `age` others follow (kC11)
    kPlace,     // a store comes before the last `age` stores of its word (kC11)
    kArrive,    // all stores so far become visible to `thread` (kC11)
  };
  Kind kind = kRun;
  std::uint8_t thread = 0;  // for kRead and kPlace: the age

  bool operator==(const Option&) const = default;
};

// On what an execution depends beside its decisions.
struct Conditions {
  // Whether a thread may poll as often as the limit of steps allows before it is made to wait. So a
  // lock that gives up after some thousands of polls can do so.
  bool patient = false;
  // Whether a data race ends the execution.
  bool races_end_it = true;

  bool operator==(const Conditions&) const = default;
};

struct Point {
  std::uint64_t step;               // number of points before this one
  std::uint64_t state;              // equal for two executions only if they are in the same state
  std::uint32_t running;            // the thread that ran last
  bool may_go_on;                   // whether it may continue; if so, that is the first option
  bool all_paused;                  // all threads that may run can only poll again
  std::span<const Option> options;  // at least two
};

// What repeats an execution of a program exactly.
struct Schedule {
  Conditions conditions{};
  std::vector<Option> decisions{};

  bool operator==(const Schedule&) const = default;
};

class Strategy {
 public:
  // This execution leads to nothing new and is to be left.
  static constexpr std::size_t kLeave = ~std::size_t{0};

  virtual ~Strategy() = default;

  // Returns the index of an option, or kLeave.
  virtual std::size_t choose(const Point& point) = 0;

  // The thread could only wait for others.
  virtual void paused(std::uint32_t) {}
};

}  // namespace lockbench::stress::explore
