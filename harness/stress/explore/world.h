// SPDX-License-Identifier: Apache-2.0

// World: one execution of a program on simulated threads.
//
// Guarantees   every shared access of the program is a point at which the strategy decides who goes
//              on, but for those that no other thread can tell from their having come earlier or
//              later (see below); equal decisions give equal executions, to the byte; an execution
//              ends by itself: finished, stuck (nobody can ever run again), convicted, left by the
//              strategy, or after a limit of steps.
// Not offered  two worlds that execute at once; threads of the system.
// Requires     a program that reaches its shared state through primitives/platform alone.
//
// What is no choice. Two steps of different threads that commute lead to the same state in either
// order, so one order is enough (P. Godefroid, "Partial-Order Methods for the Verification of
// Concurrent Systems", 1996). A store that goes into its thread's own buffer, a fence with nothing
// to empty and the start, the join or the end of a thread whose buffer is empty commute with all
// that others do: they are not points. A store that leaves its buffer commutes with all but
// accesses to its word and other stores to it: it may leave when another thread is about to access
// the word or has a store to it buffered, too, and when one waits for any word to change; and when
// nobody can run. A barrier for all threads does not commute with stores into buffers: it leaves
// there what its thread stored since it last went on from a point, as stored after the barrier, and
// before it those may leave. None of this adds a preemption to an execution that did without.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/stress/explore/arena.h"
#include "harness/stress/explore/fibre.h"
#include "harness/stress/explore/memory.h"
#include "harness/stress/explore/strategy.h"
#include "harness/stress/trace/event.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress::explore {

enum class End { kFinished, kStuck, kFailed, kLeft, kTooLong };

class World {
 public:
  static constexpr std::uint64_t kMostSteps = 50'000;

  explicit World(Model model);

  struct Execution {
    End end;
    std::uint64_t steps = 0;
    std::vector<Option> schedule;    // every decision, in order
    std::vector<TimedEvent> events;  // when recorded, with their steps
  };

  // Runs `program` as thread 0.
  Execution run(const std::function<void()>& program, Strategy& strategy, bool record = false);

  // For what runs inside: ends the execution at once.
  [[noreturn]] void fail();

  // For what runs inside: a point at which the stores of all others may leave their buffers, and
  // whether some of them did not.
  bool settle();

  // For what runs inside, not a point of choice: adds to Execution::events.
  void record(const Event& event);

  Memory& memory() { return memory_; }
  std::uint32_t thread() const { return running_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(threads_.size()); }

  // Whether the thread ended; whether it waits for something that only others can do.
  bool ended(std::uint32_t thread) const { return threads_[thread].state == State::kEnded; }
  bool waits(std::uint32_t thread) const { return threads_[thread].state == State::kAsleep; }

  std::int64_t time_ns() const { return now_ns_; }

  // While it lives, what is allocated belongs to the simulator and not to the program.
  class UntrackedScope {
   public:
    explicit UntrackedScope(World& world)
        : world_(world), before_(std::exchange(world.untracked_, true)) {}
    ~UntrackedScope() { world_.untracked_ = before_; }
    UntrackedScope(const UntrackedScope&) = delete;
    UntrackedScope& operator=(const UntrackedScope&) = delete;

   private:
    World& world_;
    const bool before_;
  };

  // The world that executes, or null.
  static World* current();
  // The same, null while memory is the simulator's.
  static World* of_program();
  void* allocate(std::size_t bytes, std::size_t alignment);
  bool owns(const void* address) const { return arena_.contains(address); }

  // The hooks, see primitives/platform/simulated/hooks.h.
  void born(const void* word);
  void gone(const void* word);
  std::uint64_t load(const void* word, unsigned bytes, std::memory_order order);
  void store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order);
  std::uint64_t begin_update(const void* word, unsigned bytes);
  void end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                  std::memory_order order);
  void fence(std::memory_order order);
  void fence_all();
  bool wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns);
  void wake(const void* word, int count);
  std::int64_t now();
  void sleep_until(std::int64_t deadline_ns);
  void pause();
  std::uint32_t start(std::function<void()> body);
  void join(std::uint32_t thread);
  void* own_of(std::uint32_t thread, platform::simulated::Maker maker);
  static constexpr std::uint32_t kProcess = kMaxThreads;

 private:
  enum class State : std::uint8_t { kReady, kPaused, kAsleep, kEnded };

  struct ThreadState {
    State state = State::kReady;
    Fibre fibre;
    const void* next = nullptr;       // the word that it is about to access, if it is
    const void* sleeps_on = nullptr;  // a word; null: sleeps for time's sake, or joins
    std::uint32_t joins = 0;          // when not 0
    std::int64_t deadline_ns = kNever;
    std::uint64_t slept_since = 0;  // order in which sleepers came
    bool timed_out = false;
    std::uint64_t paused_at = 0;  // of memory_.changes()
  };

  struct Own {
    std::uint32_t thread;
    platform::simulated::Maker maker;
    void* object;
  };

  static constexpr std::int64_t kNever = INT64_MAX;

  // Things of Memory::note() that are no words.
  static constexpr std::uint64_t kClock = 1;
  static constexpr std::uint64_t kQueues = 1'000'000;  // plus the number of the word slept on

  // As ThreadState::next they stand for a word that is in every buffer, and for all that was stored
  // since its thread last went on from a point.
  static constexpr char kAnyWord = 0;
  static constexpr char kLatestStores = 0;

  void reset();
  void add_thread();
  static void begin_thread(void* body);
  void count_step();
  void point(const void* next = nullptr);
  void choose_next(bool may_go_on);
  void collect(bool may_go_on);
  void collect_flushes(bool all);
  bool matters_to_others(std::uint32_t thread) const;
  void collect_paused();
  bool ready(std::uint32_t thread) const;
  void decide(bool may_go_on);
  void go_on_with(std::uint32_t thread);
  bool anybody_has_a_deadline() const;
  void let_time_pass();
  void fall_asleep();
  [[noreturn]] void leave(End end);
  void check_life();

  Arena arena_;
  Memory memory_;
  Strategy* strategy_ = nullptr;
  Fibre outside_;
  std::array<ThreadState, kMaxThreads> slots_;
  std::span<ThreadState> threads_;  // of slots_, those that were started
  std::vector<Option> options_;
  std::vector<Own> owns_;
  Execution execution_{};
  bool record_ = false;
  bool untracked_ = false;
  bool all_paused_ = false;
  std::uint32_t running_ = 0;
  std::int64_t now_ns_ = 0;
  std::uint64_t sleeps_ = 0;
  std::uint64_t idle_since_ = 0;  // of memory_.changes()
  std::uint32_t idle_pauses_ = 0;
};

}  // namespace lockbench::stress::explore
