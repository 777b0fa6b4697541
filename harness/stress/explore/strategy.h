// SPDX-License-Identifier: Apache-2.0

// Strategy: decides what happens next, wherever more than one thing may.
//
// A strategy that is a function of what it is asked (and of a seed of its own) makes an execution
// that can be repeated exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockbench::stress::explore {

// No word has more stores that may be chosen from, beside the last.
inline constexpr std::size_t kMostAges = 24;

// What may happen next.
struct Option {
  enum Kind : std::uint8_t {
    kRun,       // `thread` does its next access
    kFlush,     // the oldest store of `thread` leaves its buffer
    kTime,      // time goes on to the next deadline
    kSpurious,  // what `thread` does next fails or returns without a reason, as it may
    kRead,      // a load or an update reads the store that `age` others follow (kC11)
    kPlace,     // a store comes before the last `age` stores of its word (kC11)
    kArrive,    // all stores so far arrive at `thread` (kC11)
  };
  Kind kind = kRun;
  std::uint8_t thread = 0;  // or age, of kRead and kPlace

  bool operator==(const Option&) const = default;
};

struct Point {
  std::uint64_t step;               // how many points there were before
  std::uint64_t state;              // equal for two executions only if they are in one state
  std::uint32_t running;            // who ran last
  bool may_go_on;                   // whether it may run on; then that is the first option
  bool all_paused;                  // whoever may run has nothing to do but look again
  std::span<const Option> options;  // two or more
};

class Strategy {
 public:
  // "Nothing: leave this execution, it leads nowhere new."
  static constexpr std::size_t kLeave = ~std::size_t{0};

  virtual ~Strategy() = default;

  // The number of an option, or kLeave.
  virtual std::size_t choose(const Point& point) = 0;

  // The thread had nothing to do but wait for others.
  virtual void paused(std::uint32_t) {}
};

}  // namespace lockbench::stress::explore
