// SPDX-License-Identifier: Apache-2.0

// CheckedRun: one execution of a litmus program on simulated threads, checked by the oracles.
//
// The threads of the program are simulated, but the bookkeeping of the oracles is not: it is exact,
// adds no ordering, and remains after the execution, however it ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/explore/world/world.h"
#include "harness/stress/interpreter.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/oracles/stall.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/renewed_lock.h"
#include "harness/stress/trace/event.h"
#include "harness/stress/trace/trace_text.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"

namespace lockbench::stress::explore {

class ExecutionText;

class CheckedRun {
 public:
  CheckedRun(World& world, const RegisteredLock& entry, const LitmusProgram& program);

  // Writes the events from now on to `trace`, which must exist longer than this object.
  void keep(Trace* trace) { trace_ = trace; }

  // The program for World::run(). Makes the lock, runs the litmus program and checks the quiescent
  // state. Call it once.
  void run();

  // The failure that the oracles found in an execution with this end; absent if there is none.
  std::optional<Failure> verdict(End end);

  // The complete execution, if it was recorded. Adds to the failure what the accesses show about
  // it, and to the old stores the names of their words.
  std::vector<TraceStep> trace_of(World::Execution& execution, Failure& failure) const;

  const Evaluations& evaluations() const { return evaluations_; }
  std::uint64_t acquisitions() const { return acquisitions_; }
  std::uint64_t contended() const { return contended_; }          // requests that met another one
  std::uint64_t lock_accesses() const { return lock_accesses_; }  // to shared words, in calls

  // The number of steps that the calls of an execution may take.
  std::uint64_t most_steps() const;

 private:
  class Runner;

  // The data of a hold in addition to its event.
  struct HoldData {
    std::uint64_t seen[2] = {};  // values of the data of its keys
    bool in_trace = true;
  };

  // The acts that may make a try_lock() fail: the uses of a key, each from its request to the end
  // of its release, and the calls of these.
  struct Traffic {
    std::uint32_t uses = 0;
    std::uint64_t uses_begun = 0;
    std::uint32_t reads = 0;  // those of the uses that only read, which do not exclude each other
    std::uint64_t reads_begun = 0;
    std::uint32_t calls = 0;
    std::uint64_t calls_begun = 0;

    void begin_use(bool reads_only) {
      ++uses;
      ++uses_begun;
      if (!reads_only) return;
      ++reads;
      ++reads_begun;
    }
    void end_use(bool reads_only) {
      --uses;
      if (reads_only) --reads;
    }
    void begin_call() { ++calls, ++calls_begun; }
    // The traffic that was under way at `before`, or began since.
    InTheWay since(const Traffic& before) const {
      return {before.uses + (uses_begun - before.uses_begun),
              before.calls + (calls_begun - before.calls_begun)};
    }
    std::uint64_t reads_since(const Traffic& before) const {
      return before.reads + (reads_begun - before.reads_begun);
    }
  };

  // A request that had its position in the queue when a later one began. The later one may not be
  // served before it: ever, or, if `until_a_writer`, until any writer was served.
  struct Ahead {
    std::uint64_t request;
    bool until_a_writer = false;
  };

  struct ThreadRecord {
    ThreadPosition position;
    // For the last request:
    std::int64_t asked_ns = 0;
    std::int64_t due_ns = 0;  // until when it waits
    Traffic traffic;
    bool stores_under_way = false;
    bool makes_handle = false;  // for its next request
    std::uint32_t world_thread = 0;
    std::uint64_t request = 0;  // its number until its call has returned, then 0
    std::uint64_t accesses_before = 0;
    std::uint64_t queued = 0;  // the request, if it has a position in the queue for certain
    // The request, if a writer was inside at some time since it had its position.
    std::uint64_t beside_a_writer = 0;
    std::vector<Ahead> behind;         // what this request is behind
    std::uint32_t passes = 0;          // how many threads have passed this request
    std::uint64_t writers_before = 0;  // how many were served before this request began
  };

  struct Holder {
    std::uint32_t thread;
    std::uint32_t lease;
    std::uint32_t depth = 1;
    std::int64_t since_ns = 0;
    // An act on this hold that must not end it; otherwise kHolds.
    OtherHolder::Circumstance circumstance = OtherHolder::kHolds;
  };

  // The last release of a lease of a key.
  struct LastHold {
    std::uint32_t thread = 0;  // number in the world
    std::uint32_t moment = 0;
    std::uint64_t updates = 0;  // so far
    std::int64_t since_ns = 0;
  };

  struct KeyRecord {
    std::vector<Holder> holders;
    std::vector<LastHold> leases;
    std::vector<KeyStates> states;  // for each lease
    // A thread that was refused the key after it was last released.
    std::uint32_t refused = kNoThread;
  };

  // ---- warm_up.cc: what happens before the program
  template <class Batch>
  void check_growth(Calls calls, std::uint32_t number, const Batch& batch);
  void warm_up();
  void warm_up_by_refusals();
  void refuse(Calls calls, std::uint32_t number);
  bool times_out(LockHandle& handle);
  void warm_up_by_other_keys();
  void try_held_keys(std::uint32_t highest);
  void warm_up_by_nest();

  // ---- checked_run.cc: what is left
  void check_lost_memory(const void* lock, std::uint64_t live_before);

  // ---- order_of_arrival.cc: who waited before whom
  void queue_up(const Event& request, const Act& act);
  bool note_queued(std::uint32_t number);
  bool is_in_queue(const ThreadRecord& thread) const;
  bool may_be_in_the_lock(const ThreadRecord& thread) const;
  std::optional<Ahead> position_before(const ThreadRecord& waiting, std::uint32_t key) const;
  bool reads(std::uint32_t key) const { return !sole_readers_.empty() && sole_readers_[key]; }
  bool writes(const ThreadRecord& thread) const;
  bool has_order() const;
  void note_writer(const Event& acquired);
  bool own_threads_wait() const;
  void check_turn(const Event& acquired);
  // Number of holds of the key whose threads are neither in an acquisition nor in a release.
  std::size_t held_by_returned(std::uint16_t key) const;

  // ---- checked_run.cc: the acts of the threads
  std::unique_ptr<LockUnderTest> new_lock() const;
  std::unique_ptr<LockUnderTest> make_lock();
  void run_thread(std::uint32_t number);
  void make_again();
  void begin_request(const Event& request, const Act& act);
  void enter(const Event& acquired, HoldData& hold, const LockHandle& handle);
  void leave(const Event& release, HoldData& hold);
  void check_refusal(const Event& refusal, const Act& act);
  void note_refusal(const Event& refusal);
  void end_call(std::uint32_t number);
  void check_answered_in_time(std::uint32_t number);
  void ask_owner(const Event& acquired, const LockHandle& handle);
  void ask_former_owner(const Event& released);
  void enter_key(const Event& acquired, std::uint32_t key, const LockHandle& handle);
  void check_holders(const Event& acquired, std::uint32_t key);
  bool is_ordered(const Event& acquired, std::uint32_t key);
  void check_data(Updates::When when, std::uint32_t number, std::uint32_t key, std::uint32_t lease,
                  std::uint64_t seen);
  bool leave_key(const Event& release, std::uint32_t key);
  void forget_hold(const Event& release, std::uint32_t key);
  bool holds(std::uint32_t number, std::uint16_t key) const;
  bool is_late(std::int64_t since_ns) const;
  void record(const Event& event);
  void trace(const Event& event);
  void trace_expired_holds(const Event& acquired);

  // ---- end_of_run.cc: the checks at the end
  void close_trace(End end);
  void check_quiescent_state();
  void probe_keys();
  class UnusedKey;
  void check_free(std::uint32_t key);
  // Runs the oracles on what was seen. Ends the execution if one of them fails.
  template <class Seen>
  void check(const Seen& seen, KeyStates* states = nullptr) {
    const auto count = [this](auto what, std::uint64_t times) { evaluations_.count(what, times); };
    count_promises(seen, count);
    const auto failure = check_all(seen, count, states);
    if (!failure) return;
    failure_ = Failure{failure->oracle, text_of(*failure, "thread")};
    world_.fail();
  }
  std::vector<ThreadPosition> positions_of_threads() const;
  std::string name_of_thread(std::uint32_t world_thread) const;
  Failure failure_of(const DataRace& race, ExecutionText* told) const;
  Failure crash(ExecutionText* told) const;

  Traffic& traffic(std::uint32_t key) { return traffic_[entry_.abilities.lock_per_key ? key : 0]; }
  platform::Atomic<std::uint64_t>& data(std::uint32_t key, std::uint32_t lease) {
    return data_[key * capacity_ + lease];
  }

  World& world_;
  const RegisteredLock& entry_;
  const LitmusProgram& program_;
  // An execution that is left in the middle destroys nothing; the arena releases its memory.
  LockUnderTest* lock_ = nullptr;
  // For programs with a Z, else null: the part of lock_ that is made again, and a count of what
  // happens at each Z, which is the arrival of each thread and then a new lock.
  RenewedLock* renewed_ = nullptr;
  platform::FutexWord* meetings_ = nullptr;
  const void* object_ = nullptr;            // address of the lock
  std::optional<std::uint32_t> unordered_;  // its hold is not ordered before a later one
  std::optional<Probe> probe_;              // made after a stall
  std::uint64_t granted_keys_ = 0;          // that any thread acquired, one bit each
  std::optional<OneOfManyKeys> other_key_;  // is being acquired before the program
  bool answers_owner_queries_ = false;
  std::size_t left_ = 0;  // number of threads that have finished kLeaveForGood
  // The data that the lock protects: one count for each key and lease. A holder reads it at the
  // beginning of its hold and writes one more at the end.
  platform::Atomic<std::uint64_t>* data_ = nullptr;
  platform::FutexWord* ended_ = nullptr;  // for each thread of the program: 1 if it has ended
  std::uint32_t capacity_ = 1;
  std::vector<ThreadRecord> threads_;
  std::vector<KeyRecord> keys_;
  std::vector<Traffic> traffic_;
  Trace* trace_ = nullptr;
  std::optional<Failure> failure_;
  Evaluations evaluations_;
  std::uint64_t acquisitions_ = 0;
  std::uint64_t contended_ = 0;
  std::uint64_t lock_accesses_ = 0;
  std::uint64_t requests_ = 0;
  // For each key of a lock for readers and writers: true if it is one thread's, so that this thread
  // only reads. Empty for other locks.
  std::vector<bool> sole_readers_;
  std::uint64_t writers_served_ = 0;
};

}  // namespace lockbench::stress::explore
