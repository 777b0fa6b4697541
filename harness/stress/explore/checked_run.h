// SPDX-License-Identifier: Apache-2.0

// CheckedRun: one execution of a program on a lock, watched by the oracles.
//
// The threads of the program are simulated; the books that the oracles keep are not: they are
// exact, add no ordering, and survive the execution, however it ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/explore/world.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/trace.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"

namespace lockbench::stress::explore {

class CheckedRun {
 public:
  CheckedRun(World& world, const RegisteredLock& entry, const LitmusProgram& program);

  // From here on `trace`, which outlives this, is told what is seen.
  void keep(Trace* trace) { trace_ = trace; }

  // The program for World::run(), once: makes the lock, runs the program, looks at what is left.
  void run();

  // What the oracles say of an execution that ended so.
  std::optional<Failure> verdict(End end);

  const Evaluations& evaluations() const { return evaluations_; }
  std::uint64_t acquisitions() const { return acquisitions_; }
  std::uint64_t contended() const { return contended_; }  // takes that met another's call

 private:
  // One take that succeeded and was not given back.
  struct Hold {
    const Act* act = nullptr;
    LockHandle* handle = nullptr;
    std::uint32_t lease = 0;
    std::uint64_t seen[2] = {};  // of the data of its keys
    bool seen_in_time = true;    // told to the trace
  };

  struct ThreadBooks {
    const Act* act = nullptr;   // under way
    bool taking = false;        // inside lock(), try_lock() or try_lock_for()
    std::int64_t asked_ns = 0;  // when its last take began
    bool ended = false;
    std::vector<Hold> holds;
  };

  struct Holder {
    std::uint32_t thread;
    std::uint32_t lease;
    std::uint32_t depth = 1;
    std::int64_t since_ns = 0;
    const char* disputed = nullptr;  // what was done to its hold that must not end it
  };

  // The last time that a lease of a key was given back.
  struct LastHold {
    std::uint32_t thread = 0;  // of the world
    std::uint32_t moment = 0;
    std::uint64_t updates = 0;  // so far
    std::int64_t since_ns = 0;
  };

  struct KeyBooks {
    std::vector<Holder> holders;
    std::vector<LastHold> leases;
    std::uint64_t last_token = 0;
  };

  // Calls that may stand in the way of a try: each from the beginning of its take to the end of its
  // give.
  struct Traffic {
    std::uint32_t under_way = 0;
    std::uint64_t begun = 0;
  };

  // What a thread saw when it began to take.
  struct Start {
    Traffic traffic;
    std::int64_t ns = 0;
    bool stores_under_way = false;
  };

  void trace_event(Deed::Kind kind, std::uint32_t number, const Act& act, std::uint32_t lease);
  void tell_of_late_holders(const std::vector<std::uint32_t>& keys);
  void close_trace(End end);
  void live(std::uint32_t number);
  bool awaited(std::uint32_t number) const;
  std::size_t perform(std::uint32_t number, std::size_t position);
  Start begin_take(std::uint32_t number, const Act& act);
  bool call(const Act& act, LockHandle& handle);
  void refused(std::uint32_t number, const Act& act, const Start& start);
  void enter(std::uint32_t number, const Act& act, LockHandle* handle);
  void enter_key(std::uint32_t number, std::uint32_t key, const Hold& hold);
  bool late(std::int64_t since_ns) const;
  void check_room(std::uint32_t number, std::uint32_t key, const Hold& hold);
  void give(std::uint32_t number);
  void give_foreign(std::uint32_t number, std::uint32_t key);
  void forget_hold(std::uint32_t number, std::uint32_t key, const Hold& hold);
  bool leave_key(std::uint32_t number, std::uint32_t key, const Hold& hold);
  void check_data(std::uint32_t number, std::uint32_t key, const Hold& hold, std::uint64_t seen);
  void look_at_the_end();
  void check_free(std::uint32_t key);

  bool holds(std::uint32_t number, std::uint32_t key) const;
  bool may_hold_what_is_wanted(std::uint32_t other, const Act& wanted) const;
  std::vector<std::uint32_t> circle() const;
  bool awaits_its_own_key() const;
  Failure stuck() const;
  std::string doing(std::uint32_t number) const;

  [[noreturn]] void fail(Oracle oracle, std::string what);
  Traffic& traffic(std::uint32_t key) { return traffic_[entry_.abilities.lock_per_key ? key : 0]; }
  platform::Atomic<std::uint64_t>& data(std::uint32_t key, std::uint32_t lease) {
    return data_[key * capacity_ + lease];
  }

  World& world_;
  const RegisteredLock& entry_;
  const LitmusProgram& program_;
  LockUnderTest* lock_ = nullptr;
  // What the locks protect: a count per key and lease, read at the beginning of a hold and written,
  // one more, at its end.
  platform::Atomic<std::uint64_t>* data_ = nullptr;
  platform::FutexWord* ended_ = nullptr;  // 1 for a thread of the program that has ended
  std::uint32_t capacity_ = 1;
  std::vector<ThreadBooks> threads_;
  std::vector<KeyBooks> keys_;
  std::vector<Traffic> traffic_;
  Trace* trace_ = nullptr;
  std::optional<Failure> failure_;
  Evaluations evaluations_;
  std::uint64_t acquisitions_ = 0;
  std::uint64_t contended_ = 0;
};

}  // namespace lockbench::stress::explore
