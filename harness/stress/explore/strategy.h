// SPDX-License-Identifier: Apache-2.0

// Strategy: decides what happens next if there are several options. AccessFollower: is told in
// addition who accesses what, and decides which store each access meets.
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
    kSpurious,  // the next operation of `thread` fails or returns spuriously, or the thread that
                // asks for its processor was moved to another one
    kRead,      // a load or update reads the store that `age` others follow (kC11)
    kPosition,  // a store comes before the last `age` stores of its word (kC11)
    kArrive,    // all stores so far become visible to `thread` (kC11)
    kSettle,    // from now on, threads that poll or yield wait for a change: Strategy::restless()
  };
  Kind kind = kRun;
  std::uint8_t thread = 0;  // for kRead and kPosition: the age

  bool operator==(const Option&) const = default;
};

// On what an execution depends beside its decisions.
struct Conditions {
  // True if a thread may poll as often as the limit of steps allows before it is made to wait. So a
  // lock that gives up after some thousands of polls can do so.
  bool patient = false;
  // True if a data race ends the execution.
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
  // The word that each thread is about to access, or null.
  std::span<const void* const> next;
  // Bit i: thread i was started or woken, and has not yet come to its next access. Only for
  // strategies that follow accesses.
  std::uint32_t awake_only = 0;
};

// The conditions and decisions that repeat an execution of a program exactly.
struct Schedule {
  Conditions conditions{};
  std::vector<Option> decisions{};

  bool operator==(const Schedule&) const = default;
};

// A store that an access may read, or after which it may come in its word's modification order.
struct StoreChoice {
  std::uint8_t age = 0;
  std::uint64_t step = 0;  // at which it was made; 0: the word's first value
  bool updates = false;    // an access that reads this store also stores
  // An update has read it. So this one may read it only in an execution in which that one does not.
  bool taken = false;
};

// An access that the running thread makes now.
struct NextAccess {
  std::uint64_t step = 0;
  std::uint32_t thread = 0;
  const void* word = nullptr;
  bool reads = false;
  bool stores = false;  // without reading. For an update, StoreChoice::updates says it.
  bool queues = false;  // takes the next position in the order of sleeps and wake-ups of the word
  // Youngest first, then those that are taken. Empty if it neither reads nor stores.
  std::span<const StoreChoice> choices{};
};

class AccessFollower;

class Strategy {
 public:
  // This execution leads to nothing new and is to be left.
  static constexpr std::size_t kLeave = ~std::size_t{0};

  virtual ~Strategy() = default;

  // True if threads that poll or yield go on as long as they are chosen. If not, they wait until
  // memory changes. Once it is false, it remains so until the end of the execution.
  virtual bool restless() const { return false; }

  // The same object, if it follows accesses. It does so as long as it is restless.
  virtual AccessFollower* follower() { return nullptr; }

  // Returns the index of an option, or kLeave.
  virtual std::size_t choose(const Point& point) = 0;

  // The thread could only wait for others.
  virtual void paused(std::uint32_t) {}
};

// For kC11. Events that it is not told of are determined by those of their threads.
class AccessFollower {
 public:
  virtual ~AccessFollower() = default;

  // Returns the index of the choice, or Strategy::kLeave. Ignored if there are no choices.
  virtual std::size_t access(const NextAccess& next) = 0;

  // The thread is about to read at this code, in this state (caller_state.h).
  virtual void about_to_read(std::uint32_t thread, const void* code, std::uint64_t state) = 0;
  // The thread has changed what is not in its state, by something that is no access.
  virtual void changed(std::uint32_t thread) = 0;
  // The last access of the thread was an update, and has stored what it read.
  virtual void stored_the_same(std::uint32_t thread) = 0;

  // The events of a thread come after those of another until now: of the one that started it, of
  // one that has ended, of one that woke it.
  virtual void comes_after(std::uint32_t thread, std::uint32_t other) = 0;

  // The execution contains what a follower cannot decide. It is left.
  virtual void cannot_follow(const char* what) = 0;
};

}  // namespace lockbench::stress::explore
