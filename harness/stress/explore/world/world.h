// SPDX-License-Identifier: Apache-2.0

// World: one execution of a program on simulated threads.
//
// Guarantees   Every shared access of the program is a point at which the strategy decides which
//              thread runs. Exception: accesses for which no other thread can tell whether they
//              came earlier or later (see below). Equal decisions give executions that are equal to
//              the byte. An execution always ends: it finishes, is stuck (no thread can ever run
//              again), fails, crashes, is refused, is left by the strategy, or reaches a limit of
//              steps.
// Not offered  Two worlds that execute at the same time; a simulation of threads of the system.
// Requires     The program reaches its shared state only through primitives/platform, or through
//              accesses and library calls that this folder intercepts.
//
// Partial-order reduction. Two steps of different threads that commute lead to the same state in
// either order, so one order is enough (P. Godefroid, "Partial-Order Methods for the Verification
// of Concurrent Systems", 1996). These steps commute with all steps of other threads, so they are
// not points: a store that goes into its thread's own buffer; a fence with no store to flush; the
// start, the join or the end of a thread whose buffer is empty. A store that leaves its buffer
// commutes with everything except accesses to its word and other stores to it. So it may leave if
// another thread is about to access the word or also has a store to it in its buffer, if a thread
// waits for any word to change, or if no thread can run. A barrier for all threads does not commute
// with stores into buffers. The stores that a thread made since its last point remain in its buffer
// and count as made after the barrier; alternatively they may leave before the barrier. None of
// these rules adds a preemption to an execution that needed none.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/stress/explore/memory/arena.h"
#include "harness/stress/explore/memory/memory.h"
#include "harness/stress/explore/memory/order_sites.h"
#include "harness/stress/explore/memory/plain_accesses.h"
#include "harness/stress/explore/strategy.h"
#include "harness/stress/explore/world/access_log.h"
#include "harness/stress/explore/world/execution_ahead.h"
#include "harness/stress/explore/world/held_mutexes.h"
#include "harness/stress/explore/world/idle_polls.h"
#include "harness/stress/explore/world/polling.h"
#include "harness/stress/explore/world/simulated_clock.h"
#include "harness/stress/explore/world/sleepers.h"
#include "harness/stress/explore/world/thread_objects.h"
#include "harness/stress/simulated/fibre.h"
#include "harness/stress/trace/event.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress::explore {

enum class End {
  kFinished,
  kStuck,
  kFailed,
  kLeft,
  kTooLong,    // more steps than World::allow_steps()
  kOutOfTime,  // World::end_by()
  kCrashed,    // a signal would have ended the process: World::crashed()
  kRefused,    // the program did what no simulation can decide: World::refusal()
};

class World {
 public:
  static constexpr std::uint64_t kMostSteps = 50'000;
  // In one execution. More spurious events show nothing new.
  static constexpr std::uint32_t kMostSpurious = 4;

  explicit World(MemoryModel memory_model);
  // Uses this memory model from the next execution on.
  void use(MemoryModel memory_model) { memory_.use(memory_model); }
  MemoryModel memory_model() const { return memory_.memory_model(); }

  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  // True if this world still exists. Correct only for the newest world.
  static bool exists(const World* world);

  // An access that read a store other than the last, or a store that was placed before others.
  struct OldStore {
    std::uint64_t step = 0;
    std::uint32_t thread = 0;
    const void* word = nullptr;
    std::string name;  // of the word; set by CheckedRun::tell
    bool reads = true;
    std::uint64_t value = 0;
    std::uint64_t of_step = 0;  // step of the store that it read; 0: before any thread was started
    std::uint32_t age = 0;
    const void* code = nullptr;     // return address of the access
    const void* of_code = nullptr;  // of the store that it read
  };

  struct Execution {
    End end;
    std::uint64_t steps = 0;
    std::vector<Option> schedule;      // every decision, in order
    std::vector<TimedEvent> events;    // if recorded, with their steps
    std::vector<OldStore> old_stores;  // if recorded
  };

  // Runs `program` as thread 0.
  Execution run(const std::function<void()>& program, Strategy& strategy, bool record = false);

  // Only for code that runs inside an execution: ends the execution at once.
  [[noreturn]] void fail();

  // Only for code that runs inside: ends the execution because the program does something that
  // cannot be simulated. `what` names the caller and the call.
  [[noreturn]] void refuse(std::string what);
  const std::string& refusal() const { return refusal_; }

  // Only for code that runs inside: ends the execution because the program misuses memory.
  [[noreturn]] void fail_memory(const char* what, const void* location);
  const std::string& memory_failure() const { return memory_failure_; }

  // Only for a handler of `signal`, which the code got that would return to this address (null:
  // unknown): ends the execution.
  [[noreturn]] void crash(int signal, const void* code);
  struct Crashed {
    int signal = 0;
    const void* code = nullptr;
  };
  const Crashed& crashed() const { return crashed_; }

  // Writes each decision there before it is carried out; null: nowhere.
  void write_ahead(ExecutionAhead* ahead) { ahead_ = ahead; }
  ExecutionAhead* ahead() const { return ahead_; }

  // Limits the steps of an execution: those of all threads together, including those of the first
  // thread before it starts others.
  void allow_steps(std::uint64_t most) { most_steps_ = most; }

  // The conditions of the next executions.
  void set_conditions(const Conditions& conditions) { conditions_ = conditions; }
  const Conditions& conditions() const { return conditions_; }

  // Executions end when this moment has come (End::kOutOfTime). Absent: they end by themselves.
  using Clock = std::chrono::steady_clock;
  void end_by(std::optional<Clock::time_point> moment) { ends_by_ = moment; }

  // For an execution that was cut off: whether the running thread, whose timeout is over, did
  // nothing for half of the steps but run, and neither polled nor let others run.
  bool runs_past_its_deadline() const;

  // How many times each thread that polls may poll again before time passes.
  // Returns the number until now.
  std::uint32_t set_polls_before_time_passes(std::uint32_t polls) {
    return idle_polls_.set_before_time_passes(polls);
  }

  // Only for code that runs inside: a point at which the stores of all other threads may leave
  // their buffers. Returns whether all of them did.
  bool settle();

  // Only for code that runs inside: the running thread makes progress, even if it changes no word,
  // such as by a call that returns. The polls and pauses before that do not count any more: a
  // program has finitely many calls, so a thread that waits forever is still found.
  void makes_progress() {
    threads_[running_].polling.make_progress();
    idle_polls_.restart();
    if (follower_ != nullptr) follower_->changed(running_);
  }

  // Only for code that runs inside: adds to Execution::events. This is not a decision point.
  void record(const Event& event);

  // The accesses to shared words in an execution that is recorded.
  AccessLog& log() { return log_; }
  const AccessLog& log() const { return log_; }

  // Lets thread 0 continue if no thread can ever run again, although it waits for others. Only
  // thread 0 then runs, to its end, and the execution counts as stuck. stuck(): whether this is the
  // case.
  void let_first_thread_inspect_when_stuck() { inspects_when_stuck_ = true; }
  bool stuck() const { return stuck_; }

  // Only for code that runs inside: calls `make_again`, which destroys objects and makes others.
  // These lie where those lay.
  template <class MakeAgain>
  void at_the_same_addresses(const MakeAgain& make_again) {
    arena_.reuse(true);
    make_again();
    arena_.reuse(false);
  }

  Memory& memory() { return memory_; }
  const Arena& arena() const { return arena_; }
  std::uint32_t thread() const { return running_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(threads_.size()); }

  // ended: whether the thread has ended. waits: whether it waits for something that only others can
  // do.
  bool ended(std::uint32_t thread) const { return threads_[thread].state == State::kEnded; }
  bool waits(std::uint32_t thread) const { return threads_[thread].state == State::kAsleep; }

  // True if the thread waits until another thread does something: it sleeps until it is woken, or
  // has polled without success so many times that it certainly does nothing else. A thread that
  // sleeps until a time polls: it waits if nothing has changed since it last looked.
  bool settled(std::uint32_t thread) const;
  bool naps(std::uint32_t thread) const;  // sleeps for a time, and for nothing else

  // The running thread holds the library's mutex at this address from now on, or does not any more.
  void note_mutex(const void* mutex, bool holds);
  // The thread that holds the mutex for which this one sleeps; absent if it sleeps for none.
  std::optional<std::uint32_t> owner_of_mutex_for(std::uint32_t thread) const;

  // True if the thread polls without sleeping.
  bool spins(std::uint32_t thread) const { return threads_[thread].state == State::kPaused; }

  std::int64_t time_ns() const { return clock_.now_ns(); }

  // The current call of the running thread must return at `due_ns`, so time may advance to that
  // moment whatever the thread does (simulated_clock.h).
  void expect_answer(std::int64_t due_ns);
  void answered() { clock_.answered(running_); }
  std::int64_t overdue_ns(std::uint32_t thread) const { return clock_.overdue_ns(thread); }

  // Grows with every access of the program, over all executions.
  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t beats() const { return beats_; }

  // True if the program itself is executing. Another thread of the system may call this; its answer
  // may be slightly out of date.
  bool in_program() const { return executing_ && !*static_cast<const volatile bool*>(&untracked_); }

  // While an object of this class exists, allocations belong to the simulator and not to the
  // program.
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

  // While an object of this class exists, no operation fails or returns spuriously
  // (Option::kSpurious).
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

  // The world that executes, or null if there is none.
  static World* current();
  // The same, but null while allocations belong to the simulator.
  static World* of_program();
  void* allocate(std::size_t bytes, std::size_t alignment);
  void release(void* location);
  std::size_t size_of(const void* allocated) const { return arena_.size_at(allocated); }
  const std::byte* region() const { return arena_.begin(); }
  std::uint64_t live_allocations() const { return arena_.live(); }

  // Only for code that runs inside, in the first thread, when all others have ended: allocations
  // that nothing leads to, neither from what `kept` points to nor from elsewhere in the program.
  Arena::Lost lost_allocations(const void* kept);
  // A word whose beginning was not announced. It exists from now on, unless its memory was freed.
  void add_unannounced_word(const void* word, unsigned bytes);
  // A function of the running thread returns, whose local variables lie below `frame`.
  void frame_ends(const void* frame) {
    if (memory_.any_on_stack()) end_frame(frame);
  }

  // The running thread's copy of a module's thread-local variables; null until it was added.
  std::byte* thread_block(std::size_t module) const {
    return thread_objects_.block(running_, module);
  }
  std::byte* add_thread_block(std::size_t module, std::size_t bytes);

  // check_null: fails the execution if the address is null. check_freed: fails it if the memory was
  // freed.
  void check_null(const void* location);
  void check_freed(const void* location);
  // Fails the execution if the location is of a function of another thread that has returned.
  void check_frame(const void* location);
  // Fails it if another thread has a store to this memory in its buffer, which is freed now.
  void check_stores_to(const void* freed, std::size_t bytes);
  void end_frame(const void* frame);

  // Only for code that runs inside: calls destroy(object) at the end of the running thread, the
  // last registration first. For thread 0 nothing is called, because its memory is released as a
  // whole.
  void destroy_at_end_of_thread(void (*destroy)(void*), void* object);

  // Plain accesses of the running thread do not count as data races between a call with 1 and a
  // call with -1.
  void ignore_races(int change) { threads_[running_].ignores_races += change; }

  // Call them before an access of instrumented code that is not atomic, or that is known to be
  // volatile. A data race fails the execution.
  void plain_access(const PlainAccess& access);
  void volatile_access(const PlainAccess& access);
  const std::optional<DataRace>& data_race() const { return data_race_; }
  // True if there was an access of instrumented code in this execution.
  bool sees_plain_accesses() const { return instrumented_; }

  // The next access is made by the code at this return address. at_instrumented: by code of a
  // plug-in, so that state_of_caller() can tell whether it repeats itself.
  void at(const void* return_address) {
    threads_[running_].code = return_address;
    threads_[running_].instrumented = false;
  }
  void at_instrumented(const void* return_address) {
    threads_[running_].code = return_address;
    threads_[running_].instrumented = true;
  }

  // From now on accesses have the orders that `sites` returns. Null: their own orders.
  void use_sites(OrderSites* sites) { sites_ = sites; }

  // The hooks of primitives/platform/simulated/hooks.h.
  void constructed(const void* word, unsigned bytes);
  void destroyed(const void* word);
  std::uint64_t load(const void* word, unsigned bytes, std::memory_order order);
  void store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order);
  std::uint64_t begin_update(const void* word, unsigned bytes, std::memory_order order);
  std::uint64_t begin_compare(const void* word, unsigned bytes, std::uint64_t expected,
                              std::memory_order success, std::memory_order failure);
  void end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                  std::memory_order order);
  bool fails_spuriously();
  // On which of two processors the running thread is. It may have been moved to the other one since
  // it asked last (Option::kSpurious).
  std::uint32_t processor();
  void fence(std::memory_order order);
  // A fence for the compiler alone. x86 keeps the order that the compiler kept, but for a load that
  // comes before an earlier store. Under c11 it orders nothing between threads.
  void compiler_fence(std::memory_order order);
  void fence_all();
  enum class WaitEnd { kWoken, kChanged, kTimedOut, kInterrupted };
  // names_signals: the caller distinguishes a sleep that a signal interrupts. Otherwise it ends as
  // if the thread had been woken.
  WaitEnd wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns,
               WakeChannels channels = kAllChannels, bool names_signals = false);
  // Returns the number of threads that were woken.
  int wake(const void* word, int count, WakeChannels channels = kAllChannels);
  // Wakes some threads that sleep on one word and moves others to another word. Returns the number
  // of both. If the first word does not have the expected value, returns -1 and does nothing.
  int requeue(const void* from, const void* to, int wakes, int moves,
              std::optional<std::uint32_t> expected, WakeChannels channels = kAllChannels);
  std::int64_t now();
  void sleep_until(std::int64_t deadline_ns);
  void pause();
  std::uint32_t start(std::function<void()> body);
  void join(std::uint32_t thread);
  void* own_of(std::uint32_t thread, ThreadObjects::Maker maker);
  static constexpr std::uint32_t kProcess = kMaxThreads;

 private:
  // How much time may pass at once while a thread can run. More is not the scheduler's fault: a
  // lock that computes the rest of its timeout and then sleeps for it would be late by that much.
  static constexpr std::int64_t kMostHurryNs = 100'000'000;
  // The clock is read once in this many steps. Under kC11, a step of a program with many
  // sequentially consistent operations takes up to a quarter of a millisecond.
  static constexpr std::uint64_t kStepsBetweenLooks = 256;
  enum class State : std::uint8_t { kReady, kPaused, kAsleep, kEnded };

  struct ThreadState {
    State state = State::kReady;
    Fibre fibre;
    const void* code = nullptr;  // return address of its last access
    bool instrumented = false;   // that is in the code of a plug-in
    bool before_access = false;  // it stands at point()
    bool timed_out = false;      // its last sleep ended at its deadline
    int ignores_races = 0;
    std::uint32_t processor = 0;
    bool read_old = false;  // its last access read or overwrote an old store
    Polling polling;
  };

  // The update that has begun.
  struct Update {
    std::uint64_t was = 0;  // what it reads
    std::memory_order success = std::memory_order_seq_cst;
    std::memory_order failure = std::memory_order_seq_cst;
    bool is_to_store = false;  // whether it was said to store what it computes
    std::size_t age = 0;       // of the store that it reads; kC11
  };

  // Numbers for Memory::note() of things that are not words.
  static constexpr std::uint64_t kClock = 1;
  static constexpr std::uint64_t kChoice = 2;          // plus 1 if a spurious event happened
  static constexpr std::uint64_t kQueues = 1'000'000;  // plus the number of the word slept on

  // Values of ThreadState::next: kAnyWord stands for a word that is in every buffer, kLatestStores
  // for all stores that their threads made since their last decision point.
  static constexpr char kAnyWord = 0;
  static constexpr char kLatestStores = 0;

  void reset();
  void end_thread();
  void add_thread();
  static void begin_thread(void* body);
  void count_step();
  void point(const void* next = nullptr);
  void choose_next(bool may_go_on);
  void note_decision(Option option);
  void collect(bool may_go_on);
  void collect_flushes(bool all);
  bool matters_to_others(std::uint32_t thread) const;
  void collect_paused();
  bool ready(std::uint32_t thread) const;
  void decide(bool may_go_on);
  void go_on_with(std::uint32_t thread);
  void inspect_when_stuck();
  bool anybody_has_a_deadline(bool with_spare) const;
  void let_time_pass();
  std::int64_t next_deadline() const;
  std::int64_t last_look_of_a_poller() const;
  void note_poll(bool in_vain);
  bool repeats_itself();
  void wait_for_change();
  bool fall_asleep(const Sleep& sleep);
  void wake_up(std::uint32_t thread);
  void time_out(Sleep sleep);
  [[noreturn]] void leave(End end);
  void check_life(const void* word);
  void check_race_of_atomic(const void* word, unsigned bytes, bool writes);
  bool looks_for_races(const void* location) const;
  void note_access(Access::Kind kind, const void* word, unsigned bytes, std::uint64_t was,
                   std::uint64_t now, std::memory_order order = std::memory_order_relaxed);
  void note_flush(std::uint32_t thread, const Memory::Pending& store);
  void note_flushes(std::uint32_t thread);
  void wake_first(const void* word, int count, WakeChannels channels);
  std::uint64_t begin_update_at_last(const void* word, unsigned bytes);

  // Only with MemoryModel::kC11:
  void check_beginning(const void* word);
  // True if the end of a word has to come after its last use. With the other memory models, an
  // execution has failed only if the word is used afterwards.
  bool orders_ends() const { return memory_.weak() && threads_.size() != 1; }
  std::size_t choose_age(NextAccess next, Option::Kind kind, const std::vector<std::uint8_t>& ages);
  std::size_t choose_as_told(const NextAccess& next, std::span<const Option> options);
  bool choose_arrival();
  std::memory_order order_of(OrderSites::Part part, std::memory_order own);
  std::uint64_t load_to_sleep(const void* word);
  void fence_of_wake_up(const void* word);
  std::uint64_t load_any(const void* word, unsigned bytes, std::memory_order order,
                         bool queues = false);
  std::size_t choose(std::span<const Option> options);
  bool following() const { return follower_ != nullptr && strategy_->restless(); }
  std::uint32_t awake_only() const;
  void tell_position();
  std::optional<std::uint64_t> state_of_running();
  bool is_last() const;
  template <class Updates>
  NextAccess next_access(const void* word, const std::vector<std::uint8_t>& ages,
                         const Updates& updates);
  void cannot_follow(const char* what);

  Arena arena_;
  Memory memory_;
  Strategy* strategy_ = nullptr;
  AccessFollower* follower_ = nullptr;  // the same object as strategy_
  std::vector<StoreChoice> choices_;
  Fibre outside_;
  std::array<ThreadState, kMaxThreads> slots_;
  std::span<ThreadState> threads_;  // those of slots_ that were started
  // The word that each thread is about to access, or null.
  std::array<const void*, kMaxThreads> next_{};
  std::vector<Option> options_;
  ThreadObjects thread_objects_;
  HeldMutexes mutexes_;
  Execution execution_{};
  ExecutionAhead* ahead_ = nullptr;
  Crashed crashed_;
  bool record_ = false;
  AccessLog log_;
  Update update_;
  bool inspects_when_stuck_ = false;
  bool stuck_ = false;
  bool untracked_ = false;
  bool all_paused_ = false;
  std::uint32_t running_ = 0;
  SimulatedClock clock_;
  Sleepers sleepers_;
  IdlePolls idle_polls_;
  std::uint32_t spurious_ = 0;  // number so far
  OrderSites* sites_ = nullptr;
  std::uint32_t making_ = 0;  // the thread in own_of() plus 1
  std::uint64_t most_steps_ = kMostSteps;
  std::uint64_t running_since_ = 0;  // the step
  Conditions conditions_;
  std::optional<Clock::time_point> ends_by_;
  std::uint64_t accesses_ = 0;
  volatile std::uint64_t beats_ = 0;
  volatile bool executing_ = false;
  std::string refusal_;
  std::string memory_failure_;
  PlainAccesses plain_accesses_{arena_};
  std::optional<DataRace> data_race_;
  bool asymmetric_ = false;    // a thread has imposed a barrier on all others
  bool instrumented_ = false;  // words were met: accesses of instrumented code
};

}  // namespace lockbench::stress::explore
