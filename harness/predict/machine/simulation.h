// SPDX-License-Identifier: Apache-2.0

// Simulation: one execution of threads on a modelled machine, in virtual time.
//
// Threads are fibres. Each has its own time, which its accesses, calls and work advance by their
// costs. Before a thread accesses memory that others can see, all others that are earlier go first.
// So accesses take effect in the order of virtual time, and the execution is sequentially
// consistent, except for stores, which wait in their thread's store buffer (as on x86).
//
// Processors work ahead. While one waits for a line, it goes on with what follows, and its requests
// for other lines are under way at the same time. So an access that is due within
// AccessCosts::lookahead after the wait takes only what its transfer takes longer than the one that
// was waited for. This is not so if another processor has asked for the line since the wait began;
// after a fence, a failed compare-exchange or a call of the kernel; and after a pause until the
// next line has come, because a thread that polls continues differently when what it polls changes,
// and a processor guesses that it does not.
//
// The scheduler gives each processor a queue of threads. A thread runs until it sleeps, yields, or
// has used up its slice while another waits, also if it holds a lock. A thread that wakes up goes
// to an idle processor if there is one. An idle processor takes a thread from the longest queue.
//
// Guarantees   The same calls give the same execution, to the picosecond, if all words lie at the
//              same addresses.
// Not offered  Two simulations at the same time.
// Requires     start() and at() before run(). The other functions are called by threads inside
//              run().
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/predict/machine/coherence.h"
#include "harness/predict/machine/machine_model.h"
#include "harness/stress/simulated/fibre.h"

namespace lockbench::machine {

class Simulation {
 public:
  enum class End {
    kFinished,  // all workers have ended
    kStuck,     // no thread can ever run again, and some workers have not ended
    kTooLong,   // the limit of accesses was reached
  };

  // A helper works for the others as long as they run: a thread that a lock has for itself.
  enum class Role { kWorker, kHelper };

  // `bound`: the processors of the threads, in turn, on which they stay. Empty: each thread begins
  // on the processor of its number, as far as there are any, and moves to idle ones.
  explicit Simulation(const MachineModel& model, std::vector<std::uint32_t> bound = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // The simulation whose thread executes now; null outside of run().
  static Simulation* current();

  // From now on the times of futex calls and wake-ups are random, within an eighth of the model's
  // figures. Without it, threads whose calls all take the same time fall into step. The generator
  // is MMIX's: D. Knuth, "The Art of Computer Programming", volume 2, 1997.
  void vary_calls(std::uint64_t seed) {
    calls_vary_ = true;
    random_ = seed;
  }

  // Ends run() with kTooLong after so many accesses.
  void allow_accesses(std::uint64_t most) { most_accesses_ = most; }

  // Adds a thread, whose number is the count of those before it. It runs on `stack`.
  void start(std::function<void()> body, std::span<std::byte> stack, Role role = Role::kWorker);

  // Calls `action` when virtual time has come to `time`.
  void at(Picoseconds time, std::function<void()> action);

  // Calls `action` once, when this many accesses have been made after this call.
  void after_accesses(std::uint64_t count, std::function<void()> action);

  End run();

  // ---- what threads do. Words are 1, 2, 4 or 8 bytes.
  std::uint64_t load(const void* word, unsigned bytes);
  // Buffered: other threads see it later. Else it is an exchange.
  void store(void* word, unsigned bytes, std::uint64_t bits, bool buffered);
  // The store takes effect before the thread goes on, after all earlier ones. For a word on the
  // thread's own stack: code that is not simulated may reuse the memory at any time.
  void store_at_once(void* word, unsigned bytes, std::uint64_t bits);
  // The same for a store that the caller makes itself, before anything else of the simulation.
  void prepare_store(const void* word);
  // The word's lifetime ends: what the thread has stored there and others do not see yet is never
  // written, since the memory may be used for something else. Its lines are transferred all the
  // same.
  void forget_stores(const void* word, unsigned bytes);
  // No access of another thread comes between the two calls.
  std::uint64_t begin_update(const void* word, unsigned bytes);
  void end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes);
  // A plain access of bytes, which the caller makes itself: it is free, except that each line that
  // the processor does not have is transferred. A write does not wait for its line; later stores
  // wait for it.
  void touch(const void* location, std::size_t bytes, bool writes);
  void fence();
  // Empties the buffers of all threads.
  void membarrier();

  // As a futex. Half of a call's time passes before it looks at the word or for sleepers, and half
  // after that. Times are those of now_ns(). wait() returns false if the deadline has passed.
  bool wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns);
  // Returns the number of threads that were woken.
  int wake(const void* word, int count);

  std::int64_t now_ns();
  // In nanoseconds: a counter of the processor, read in a third of the clock's time.
  std::uint64_t ticks();
  void sleep_until_ns(std::int64_t deadline_ns);
  void pause();
  void yield();
  // Computes for so long, or longer on a slower core. The processor may be given to others
  // meanwhile.
  void work(Picoseconds duration);
  // The same for a short time that is part of an operation.
  void spend(Picoseconds duration) { self().time += on_this_core(duration); }

  const MachineModel& model() const { return model_; }
  std::uint32_t thread() const { return running_; }
  // On which the running thread is.
  std::uint32_t processor() const { return threads_[running_]->processor; }
  bool is_on_stack(const void* location) const;
  std::uint64_t accesses() const { return accesses_; }
  // The virtual time of the latest event.
  Picoseconds time() const { return time_; }

  struct Counts {
    std::uint64_t transfers = 0;             // of lines
    std::uint64_t voluntary_switches = 0;    // threads that slept
    std::uint64_t involuntary_switches = 0;  // threads whose slice was over
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t { kRuns, kQueued, kAsleep, kFlushes, kEnded };

  struct PendingStore {
    void* word;
    unsigned bytes;
    std::uint64_t bits;
    bool forgotten =
        false;  // not written: the word no longer exists, or the thread wrote it itself
  };
  enum class DrainStep : std::uint8_t { kNone, kSent, kGranted, kArrived };

  // The last transfer that a thread waited for, during which its processor worked ahead.
  struct Wait {
    Picoseconds from = 0;
    Picoseconds duration = 0;
    Picoseconds reach = 0;  // what is due before this time was done ahead
  };

  struct Thread {
    stress::explore::Fibre fibre;
    std::span<const std::byte> stack;
    std::function<void()> body;
    Role role = Role::kWorker;
    State state = State::kQueued;
    std::uint32_t number = 0;
    std::uint32_t processor = 0;
    Picoseconds time = 0;
    std::deque<PendingStore> buffer;  // oldest first
    DrainStep drain = DrainStep::kNone;
    Coherence::Transfer transfer_of_store{};  // of the line of the oldest store
    Coherence::Transfer transfer{};           // of the line that the thread has waited for
    Picoseconds drain_ahead = 0;  // how long its request was sent before the store was due
    Wait wait;
    bool polls = false;        // it has paused or slept, and fetched no line since
    std::uint64_t drains = 0;  // how often its buffer was emptied at once
    const void* sleeps_on = nullptr;
    std::uint64_t sleep = 0;  // number of its last sleep
    bool timed_out = false;
    bool woken = false;  // waits in a queue after it slept
  };

  struct Processor {
    static constexpr std::uint32_t kIdle = ~std::uint32_t{0};

    double slowness = 1;  // how many times as long as on the fastest core its computing takes
    std::uint32_t runs = kIdle;
    Picoseconds since = 0;
    std::deque<std::uint32_t> queue;
  };

  enum class EventKind : std::uint8_t { kResume, kDrain, kTimer, kAction, kLineIsFree };

  struct Event {
    Picoseconds time;
    std::uint64_t number;  // events at one time happen in the order in which they were added
    EventKind kind;
    std::uint32_t subject;  // a thread, or an action
    // kTimer: the sleep that it ends; kDrain: Thread::drains; kLineIsFree: the address of the line
    std::uint64_t occasion;

    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  static constexpr std::size_t kMostBuffered = 56;

  // Request::occasion of an access that its thread waits for. Of a store that waits in the buffer,
  // it is Thread::drains.
  static constexpr std::uint64_t kOfItsThread = ~std::uint64_t{0};

  Thread& self() { return *threads_[running_]; }

  void add_event(Picoseconds time, EventKind kind, std::uint32_t subject,
                 std::uint64_t occasion = 0);
  void run_events();
  void handle(const Event& event);
  void resume(std::uint32_t thread);
  static void begin_thread(void* thread);

  // Lets everything that is earlier than the running thread happen first.
  void let_earlier_go_first();
  // The same, after the thread has given up its processor if its time is over.
  void synchronize();
  void leave_processor_if_due();
  void let_next_run();

  void count_access();
  Line& line_of(const void* word);
  void fetch(const void* word, bool writes);
  Coherence::Transfer request(Thread& thread, Line& line, const Request& request);
  void wait_for_line(Line& line);
  void serve(Line& line);
  Picoseconds sent_ahead(const Thread& thread, const Line& line, Picoseconds time) const;
  Picoseconds store_sent_ahead(const Thread& thread, const Line& line, Picoseconds time) const;
  void begin_poll();
  static void stop_working_ahead(Thread& thread) { thread.wait = {}; }
  void touch_line(std::uintptr_t number, bool writes);
  void finish_stores_to(const void* location, std::size_t bytes);
  static std::vector<Processor> idle_processors(const MachineModel& model);
  // The time of what takes `cost` on the fastest core: on this one, and beside a busy sibling.
  Picoseconds on_this_core(Picoseconds cost) const;
  Picoseconds slowed(Picoseconds cost) const;
  bool sibling_is_busy(std::uint32_t processor) const;

  void drain(Thread& thread);
  void send_oldest(Thread& thread, Picoseconds now);
  void write_oldest(Thread& thread);
  void finish_drain(Thread& thread, Picoseconds now);
  void flush_buffer();
  void flush_at_once(Thread& thread);

  void access_bucket(const void* word, bool writes);
  Thread* first_asleep_on(const void* word) const;
  Picoseconds varied(Picoseconds mean);
  Picoseconds enter_kernel();
  void sleep(const void* word, std::int64_t deadline_ns, Picoseconds way_back);
  void make_ready(Thread& thread, Picoseconds time);
  void put_on(Thread& thread, std::uint32_t processor, Picoseconds time);
  void run_next_on(std::uint32_t processor, Picoseconds time);
  std::uint32_t processor_for(const Thread& thread) const;
  void place_threads();
  bool pinned() const { return !bound_.empty(); }

  const MachineModel model_;
  const std::vector<std::uint32_t> bound_;
  const Coherence coherence_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Processor> processors_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::function<void()>> actions_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Line>> lines_;
  std::uintptr_t last_line_number_ = 0;
  Line* last_line_ = nullptr;
  stress::explore::Fibre outside_;
  std::uint32_t running_ = 0;
  std::uint32_t workers_left_ = 0;  // that have not ended
  std::uint64_t events_added_ = 0;
  std::uint64_t sleeps_ = 0;
  std::uint64_t accesses_ = 0;
  std::uint64_t most_accesses_ = ~std::uint64_t{0};
  std::uint64_t action_due_ = ~std::uint64_t{0};
  std::function<void()> due_action_;
  bool calls_vary_ = false;
  std::uint64_t random_ = 0;
  Picoseconds time_ = 0;
  End end_ = End::kFinished;
  Counts counts_;
};

}  // namespace lockbench::machine
