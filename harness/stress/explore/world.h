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
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/stress/explore/access_log.h"
#include "harness/stress/explore/arena.h"
#include "harness/stress/explore/fibre.h"
#include "harness/stress/explore/memory.h"
#include "harness/stress/explore/order_sites.h"
#include "harness/stress/explore/plain_accesses.h"
#include "harness/stress/explore/strategy.h"
#include "harness/stress/trace/event.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress::explore {

enum class End {
  kFinished,
  kStuck,
  kFailed,
  kLeft,
  kTooLong,
  kRefused,  // the program did what no simulation can decide: World::refusal()
};

class World {
 public:
  static constexpr std::uint64_t kMostSteps = 50'000;
  // Threads that pause may look again in any order so often each, though no word has changed;
  // then by turns.
  static constexpr std::uint32_t kFreeLooks = 2;

  explicit World(Model model);
  // From the next execution on.
  void use(Model model) { memory_.use(model); }
  Model model() const { return memory_.model(); }

  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  // Whether this one, the newest ever made, has not been destroyed.
  static bool exists(const World* world);

  // An access that read another store than the last, or made a store that came before others.
  struct OldStore {
    std::uint64_t step = 0;
    std::uint32_t thread = 0;
    const void* word = nullptr;
    std::string name;  // of the word, once the execution is told (CheckedRun::tell)
    bool reads = true;
    std::uint64_t value = 0;
    std::uint64_t of_step = 0;  // when what it read was stored; 0: before threads were started
    std::uint32_t age = 0;
    const void* place = nullptr;     // return address of the access
    const void* of_place = nullptr;  // of the store that it read
  };

  struct Execution {
    End end;
    std::uint64_t steps = 0;
    std::vector<Option> schedule;      // every decision, in order
    std::vector<TimedEvent> events;    // when recorded, with their steps
    std::vector<OldStore> old_stores;  // the same
  };

  // Runs `program` as thread 0.
  Execution run(const std::function<void()>& program, Strategy& strategy, bool record = false);

  // For what runs inside: ends the execution at once.
  [[noreturn]] void fail();

  // For what runs inside: the same, where the program leaves what can be simulated. `what` says who
  // did what.
  [[noreturn]] void refuse(std::string what);
  const std::string& refusal() const { return refusal_; }

  // For what runs inside: the same, where the program misuses memory.
  [[noreturn]] void fail_memory(const char* what, const void* place);
  const std::string& memory_failure() const { return memory_failure_; }

  // Up to this many steps are taken by the threads of an execution, and by its first one while it
  // is alone.
  void allow_steps(std::uint64_t most) { most_steps_ = most; }

  // How often each thread that waits without sleeping looks again before time passes.
  void look_before_time_passes(std::uint32_t looks) { looks_before_time_ = looks; }

  // For what runs inside: a point at which the stores of all others may leave their buffers, and
  // whether some of them did not.
  bool settle();

  // For what runs inside: the running thread gets on, though it may change no word.
  void gets_on() { threads_[running_].looks = 0; }

  // For what runs inside, not a point of choice: adds to Execution::events.
  void record(const Event& event);

  // What the threads of an execution that is recorded do to shared words.
  AccessLog& log() { return log_; }
  const AccessLog& log() const { return log_; }

  // Thread 0 goes on, though it waits for others, when nobody can ever run again: it alone then
  // runs to its end, and the execution counts as stuck. stuck(): whether it does so.
  void let_the_first_look_when_stuck() { looks_when_stuck_ = true; }
  bool stuck() const { return stuck_; }

  Memory& memory() { return memory_; }
  const Arena& arena() const { return arena_; }
  std::uint32_t thread() const { return running_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(threads_.size()); }

  // Whether the thread ended; whether it waits for something that only others can do.
  bool ended(std::uint32_t thread) const { return threads_[thread].state == State::kEnded; }
  bool waits(std::uint32_t thread) const { return threads_[thread].state == State::kAsleep; }

  // Whether the thread waits, and will wait until another one does something: it sleeps, or has
  // looked in vain for so long that what it looks at is all it waits for.
  bool settled(std::uint32_t thread) const;

  // Whether the thread looks again and again, and does not sleep.
  bool spins(std::uint32_t thread) const { return threads_[thread].state == State::kPaused; }

  std::int64_t time_ns() const { return now_ns_; }

  // A call of the running thread that must be answered at `due_ns`: time may pass to that moment
  // whatever the thread does. A call counts its timeout from when it first reads the clock: if that
  // is later, then it must be answered later by as much, else time would never come to its end for
  // a thread that spins. overdue_ns(): how much time has passed since then for no other reason
  // than that no thread could run.
  void expect_answer(std::int64_t due_ns);
  void answered() { threads_[running_].due_ns = kNever; }
  std::int64_t overdue_ns(std::uint32_t thread) const { return threads_[thread].overdue_ns; }

  // Grows with every access of the program, in all executions.
  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t beats() const { return beats_; }

  // Whether the program itself is executing. May be asked by another thread of the system, which
  // may get an answer that is a little old.
  bool in_program() const { return executing_ && !*static_cast<const volatile bool*>(&untracked_); }

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

  // While it lives, nothing happens without a reason (Option::kSpurious).
  class CertainScope {
   public:
    explicit CertainScope(World& world)
        : world_(world), before_(std::exchange(world.spurious_, kMostSpurious)) {}
    ~CertainScope() { world_.spurious_ = before_; }
    CertainScope(const CertainScope&) = delete;
    CertainScope& operator=(const CertainScope&) = delete;

   private:
    World& world_;
    const std::uint32_t before_;
  };

  // Whether data races end an execution.
  void report_races(bool report) { reports_races_ = report; }

  // The world that executes, or null.
  static World* current();
  // The same, null while memory is the simulator's.
  static World* of_program();
  void* allocate(std::size_t bytes, std::size_t alignment);
  void release(void* place);
  std::size_t size_of(const void* allocated) const { return arena_.size_at(allocated); }
  const std::byte* region() const { return arena_.begin(); }
  std::uint64_t live_allocations() const { return arena_.live(); }
  // A word that did not say when it was born: it lives from now on, unless its memory was freed.
  void meet(const void* word, unsigned bytes);

  // The running thread's copy of the variables of a module, null until it was added.
  std::byte* thread_block(std::size_t module) const;
  std::byte* add_thread_block(std::size_t module, std::size_t bytes);

  // Fails the execution if the memory has been freed.
  void check_null(const void* place);
  void check_freed(const void* place);

  // For what runs inside: what a thread does at its end, the last one first. The first thread's are
  // forgotten with its memory.
  void destroy_at_end_of_thread(void (*destroy)(void*), void* object);

  // Plain accesses of the running thread are no data races while it says so: 1 begins that, -1 ends
  // it.
  void ignore_races(int change) { threads_[running_].ignores_races += change; }

  // Before an access of instrumented code that is not atomic; of one that is volatile, where that
  // is known. Fails the execution at a data race.
  void plain_access(const PlainAccess& access);
  void volatile_access(const PlainAccess& access);
  const std::optional<DataRace>& data_race() const { return data_race_; }

  // The next access is one of the code that returns to this address.
  void at(const void* return_address) { threads_[running_].place = return_address; }

  // From now on accesses have the orders that `sites` says; null: their own.
  void use_sites(OrderSites* sites) { sites_ = sites; }

  // The hooks, see primitives/platform/simulated/hooks.h.
  void born(const void* word, unsigned bytes);
  void gone(const void* word);
  std::uint64_t load(const void* word, unsigned bytes, std::memory_order order);
  void store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order);
  std::uint64_t begin_update(const void* word, unsigned bytes, std::memory_order order);
  std::uint64_t begin_compare(const void* word, unsigned bytes, std::uint64_t expected,
                              std::memory_order success, std::memory_order failure);
  void end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                  std::memory_order order);
  bool fails_spuriously();
  void fence(std::memory_order order);
  void fence_all();
  // A sleeper is woken through a channel that both name, as the kernel's futex has it (BITSET).
  static constexpr std::uint32_t kAllChannels = ~std::uint32_t{0};
  enum class WaitEnd { kWoken, kChanged, kTimedOut };
  WaitEnd wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns,
               std::uint32_t channels = kAllChannels);
  // How many were woken.
  int wake(const void* word, int count, std::uint32_t channels = kAllChannels);
  // Wakes some of those that sleep on one word and lets others sleep on another one; how many both
  // were. -1, and nothing happens, if the first word has another value than is expected.
  int requeue(const void* from, const void* to, int wakes, int moves,
              std::optional<std::uint32_t> expected);
  std::int64_t now();
  void sleep_until(std::int64_t deadline_ns);
  void pause();
  std::uint32_t start(std::function<void()> body);
  void join(std::uint32_t thread);
  void* own_of(std::uint32_t thread, platform::simulated::Maker maker);
  static constexpr std::uint32_t kProcess = kMaxThreads;

 private:
  struct ThreadBlock {
    std::uint32_t thread;
    std::size_t module;
    std::byte* place;
  };

  static constexpr std::int64_t kNever = INT64_MAX;

  // Threads that have looked again by turns for so long will look for ever.
  static constexpr std::uint32_t kIdleLooks = 1000;
  // A thread that loads for so long what nobody changes waits for somebody to change it.
  static constexpr std::uint32_t kLooksBeforePause = 100;
  // After so many pauses in a row a thread does nothing but wait.
  static constexpr std::uint32_t kPausesUntilSettled = 100;
  // Of one execution: more of what happens without a reason shows nothing new.
  static constexpr std::uint32_t kMostSpurious = 4;

  enum class State : std::uint8_t { kReady, kPaused, kAsleep, kEnded };

  struct ThreadState {
    State state = State::kReady;
    Fibre fibre;
    const void* place = nullptr;            // return address of its last access
    const void* next = nullptr;             // the word that it is about to access, if it is
    const void* sleeps_on = nullptr;        // a word; null: sleeps for time's sake, or joins
    std::uint32_t channels = kAllChannels;  // through which it can be woken
    std::uint32_t joins = 0;                // when not 0
    std::int64_t deadline_ns = kNever;
    std::uint64_t slept_since = 0;  // order in which sleepers came
    bool timed_out = false;
    int ignores_races = 0;
    std::uint64_t paused_at = 0;   // of memory_.changes()
    std::uint64_t looked_at = 0;   // of memory_.changes(), and …
    std::uint32_t looks = 0;       // … how often in a row while nothing changed
    std::uint32_t pauses = 0;      // in a row while nothing changed
    std::int64_t due_ns = kNever;  // when its call must have been answered
    std::int64_t timeout_ns = 0;   // of that call, until it reads the clock
    std::int64_t overdue_ns = 0;
  };

  struct AtEnd {
    std::uint32_t thread;
    void (*destroy)(void*);
    void* object;
  };

  struct Own {
    std::uint32_t thread;
    platform::simulated::Maker maker;
    void* object;
  };

  // Things of Memory::note() that are no words.
  static constexpr std::uint64_t kClock = 1;
  static constexpr std::uint64_t kLuck = 2;  // and whether something happened without a reason
  static constexpr std::uint64_t kQueues = 1'000'000;  // plus the number of the word slept on

  // As ThreadState::next they stand for a word that is in every buffer, and for all that was stored
  // since its thread last went on from a point.
  static constexpr char kAnyWord = 0;
  static constexpr char kLatestStores = 0;

  void reset();
  void end_thread();
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
  void look_when_stuck();
  bool anybody_has_a_deadline() const;
  bool somebody_is_overdue() const;
  void let_time_pass();
  void look(bool in_vain);
  void wait_for_change();
  void fall_asleep();
  [[noreturn]] void leave(End end);
  void check_life(const void* word);
  void note_access(Access::Kind kind, const void* word, unsigned bytes, std::uint64_t was,
                   std::uint64_t now, std::memory_order order = std::memory_order_relaxed);
  void note_flush(std::uint32_t thread, const Memory::Pending& store);
  void note_flushes(std::uint32_t thread);
  int sleepers_to_wake(const void* word, int most, std::uint32_t channels) const;
  ThreadState* first_sleeper(const void* word, std::uint32_t channels);
  void wake_first(const void* word, int count, std::uint32_t channels);
  std::uint64_t begin_update_at_last(const void* word, unsigned bytes);

  // With Model::kC11:
  void check_beginning(const void* word);
  std::size_t choose_age(Option::Kind kind, const void* word,
                         const std::vector<std::uint8_t>& ages);
  bool choose_arrival();
  std::memory_order order_of(OrderSites::Part part, std::memory_order own);
  std::uint64_t load_to_sleep(const void* word);
  void fence_of_wake_up(const void* word);
  std::uint64_t load_any(const void* word, unsigned bytes, std::memory_order order);
  std::size_t choose(std::span<const Option> options);

  Arena arena_;
  Memory memory_;
  Strategy* strategy_ = nullptr;
  Fibre outside_;
  std::array<ThreadState, kMaxThreads> slots_;
  std::span<ThreadState> threads_;  // of slots_, those that were started
  std::vector<Option> options_;
  std::vector<Own> owns_;
  std::vector<ThreadBlock> thread_blocks_;
  std::vector<AtEnd> at_end_;
  Execution execution_{};
  bool record_ = false;
  AccessLog log_;
  std::uint64_t updated_from_ = 0;  // what begin_update() returned
  bool looks_when_stuck_ = false;
  bool stuck_ = false;
  bool untracked_ = false;
  bool all_paused_ = false;
  std::uint32_t running_ = 0;
  std::int64_t now_ns_ = 0;
  std::uint64_t sleeps_ = 0;
  std::uint64_t idle_since_ = 0;  // of memory_.changes()
  std::uint32_t idle_pauses_ = 0;
  std::uint32_t spurious_ = 0;  // so far
  OrderSites* sites_ = nullptr;
  // Of the update that has begun, where sites_ are.
  std::memory_order success_ = std::memory_order_seq_cst;
  std::memory_order failure_ = std::memory_order_seq_cst;
  std::uint32_t making_ = 0;  // one more than the thread in own_of()
  std::size_t age_ = 0;       // of what the update that has begun reads
  std::uint64_t most_steps_ = kMostSteps;
  std::uint32_t looks_before_time_ = kFreeLooks;
  std::uint64_t accesses_ = 0;
  volatile std::uint64_t beats_ = 0;
  volatile bool executing_ = false;
  std::string refusal_;
  std::string memory_failure_;
  PlainAccesses plain_accesses_;
  std::optional<DataRace> data_race_;
  bool reports_races_ = true;
  bool asymmetric_ = false;  // a thread has imposed a barrier on all others
};

}  // namespace lockbench::stress::explore
