// SPDX-License-Identifier: Apache-2.0

// Atomic accesses are relaxed if no comment says otherwise. The counts of a lock are written by its
// holder, so the lock orders them; what several threads add to is added to atomically; and readers
// need no order between two counts.
#include "harness/observe/recorder/recorder.h"

#include <algorithm>
#include <cstring>
#include <sched.h>
#include <sys/resource.h>

#include "harness/observe/recorder/callers.h"
#include "harness/observe/recorder/changed_holds.h"
#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/lock_orders.h"
#include "harness/observe/recorder/lock_table.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "harness/observe/recorder/pauses.h"
#include "harness/observe/recorder/place_table.h"
#include "harness/observe/recorder/process_life.h"
#include "harness/observe/recorder/thread_record.h"
#include "harness/observe/recorder/ticks.h"

namespace lockbench::observe {
namespace {

// Before the thread does what others wait for, or waits itself.
[[gnu::always_inline]] inline void pay(Thread& thread) {
  if (some_pause()) [[unlikely]]
    pay_pauses(thread);
}

// After it has waited for another thread.
[[gnu::always_inline]] inline void forgive(Thread& thread) {
  if (some_pause()) [[unlikely]]
    forgive_pauses(thread);
}

// The process to record in, or nullptr.
[[gnu::always_inline]] inline Process* active() {
  Process* const process = this_process();
  if (process == nullptr || MappedRecording::header()->paused.load(kRelaxed) != 0) return nullptr;
  return process;
}

std::uint64_t since_start(const Process& process, std::uint64_t now) {
  return now - process.start_ticks.load(kRelaxed);
}

// True if a wait for it is a wait for a lock. Of futexes, the reader of the recording decides.
bool counts(LockKind kind) {
  return kind != LockKind::kSemaphoreEvent && kind != LockKind::kFutex;
}

// A semaphore counts as an event until a thread that waited for it posts it.
LockKind first_kind(LockKind kind) {
  return kind == LockKind::kSemaphore ? LockKind::kSemaphoreEvent : kind;
}

// Any thread may post them, so nobody holds them.
bool is_held(const Request& request) {
  static_assert(LockKind::kSpin < LockKind::kSemaphore && LockKind::kSemaphore < LockKind::kFutex);
  return request.kind < LockKind::kSemaphore;
}

// Ends the wait that the thread is in, as far as is known. `timed`: it did wait.
void end_wait(Thread& thread, Process& process, std::uint64_t now, bool timed = true) {
  Waiting& waiting = thread.waiting;
  const std::uint64_t at = since_start(process, now);
  process.waiting.fetch_sub(1, kRelaxed);
  process.last_ticks.store(now, kRelaxed);
  if (waiting.counts) end_blocked(process.blocked, at);
  if (waiting.place != nullptr) {
    end_blocked(waiting.place->blocked, at);
    if (timed) record(waiting.place->wait, elapsed(waiting.since, now));
  } else if (waiting.counts && timed) {
    thread.unplaced = {waiting.since, now};
  }
  waiting = {};
}

// Adds a wait that is over to its place.
void add_wait(const Process& process, Place& place, std::uint64_t since, std::uint64_t until) {
  add_blocked(place.blocked, place.added_until, since_start(process, since),
              since_start(process, until));
  record(place.wait, elapsed(since, until));
}

void begin_wait(Thread& thread, Process& process, Place* place, bool counts, std::uint64_t now) {
  thread.waiting = {.since = now, .place = place, .counts = counts};
  const std::uint64_t at = since_start(process, now);
  process.waiting.fetch_add(1, kRelaxed);
  if (counts) begin_blocked(process.blocked, at);
  if (place != nullptr) begin_blocked(place->blocked, at);
}

[[gnu::always_inline]] inline Thread& thread_of(Process& process) {
  Thread& thread = this_thread();
  if (thread.process != &process) [[unlikely]]
    begin_thread(thread, process);
  // It was cancelled, or jumped out of a handler. Inside of a lock, told_leaves() ends the wait.
  if (thread.waiting.since != 0 && thread.inside.depth == 0) [[unlikely]]
    end_wait(thread, process, ticks());
  return thread;
}

[[gnu::noinline]] std::uint32_t place_of_first(Process& process, const Request& request) {
  if (request.kind == LockKind::kFutex) {
    return place_number(process, callers_of_futex(request.caller), LockKind::kFutex);
  }
  const std::uint32_t asked = MappedRecording::header()->callers.load(kRelaxed);
  std::size_t wanted = asked;
  if (asked == 0) {
    const std::size_t depth = depth_at(request.caller);
    wanted = depth == 0 ? Place::kMostCallers : depth;
  }
  return place_number(process, callers_of(request.caller, wanted), first_kind(request.kind));
}

[[gnu::noinline]] Lock* add_lock_of(Process& process, const Request& request) {
  return add_lock(request.lock, first_kind(request.kind),
                  [&] { return place_of_first(process, request); });
}

Lock* lock_of(Process& process, const Request& request) {
  Lock* const found = find_lock(request.lock);
  return found != nullptr ? found : add_lock_of(process, request);
}

// Begins a wait for the lock, and returns the time.
std::uint64_t begin_wait_for(Process& process, Thread& thread, const Request& request) {
  // A mutex is somebody's, so it usually has its entry, and the caller is not its place.
  const Lock* const entry = is_held(request) ? find_lock(request.lock) : lock_of(process, request);
  Place* const place = entry == nullptr ? nullptr : place_at(entry->place.load(kRelaxed));
  const LockKind kind =
      entry == nullptr ? request.kind : static_cast<LockKind>(entry->kind.load(kRelaxed));
  begin_wait(thread, process, place, counts(kind), ticks());
  return thread.waiting.since;
}

// A wait inside of a lock that tells of itself is a wait for that lock. Returns the time; 0: the
// thread waits for it already.
std::uint64_t begin_wait_inside(Process& process, Thread& thread) {
  if (thread.waiting.since != 0) return 0;
  const std::uint64_t now =
      begin_wait_for(process, thread, {.lock = thread.inside.lock, .kind = LockKind::kMutex});
  if (thread.inside.waited_since == 0) thread.inside.waited_since = now;
  return now;
}

void end_wait_if_begun(Process& process, Thread& thread, std::uint64_t since, std::uint64_t now) {
  if (since == 0 || thread.process != &process || thread.waiting.since == 0) return;
  end_wait(thread, process, now);
}

// Notes for the innermost locks that the thread holds that it acquires another one.
void note_orders(Process& process, Thread& thread, const Request& request) {
  constexpr std::size_t kMostBefore = 4;
  const std::uint32_t held = thread.held_count;
  for (std::uint32_t i = held - std::min<std::uint32_t>(held, kMostBefore); i < held; ++i) {
    note_order(process.orders, thread, i, request, process.lost_orders);
  }
}

// Semaphores and futexes have no use of their own for these counts.
// Nobody holds a mutex with others.
Count& busy_since(Lock& mutex) {
  return mutex.shared_acquisitions;
}
Count& own_posts(Lock& entry) {
  return entry.recursions;
}
Count& other_posts(Lock& entry) {
  return entry.condition_waits;
}

// The code that waits for a futex.
const void* site_of(const Lock& entry) {
  const Place* const place = place_at(entry.place.load(kRelaxed));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of code.
  return place == nullptr ? nullptr
                          : reinterpret_cast<const void*>(place->callers[0].address.load(kRelaxed));
}

void hold(Thread& thread, Process& process, const Request& request, Lock* entry,
          std::uint32_t place, std::uint64_t since, bool is_first, bool is_watched) {
  if (!is_held(request)) {
    const bool futex = request.kind == LockKind::kFutex;
    thread.remember_wait(futex && entry != nullptr ? site_of(*entry) : request.lock);
    return;
  }
  if (thread.held_count != 0 && request.waits) note_orders(process, thread, request);
  if (thread.held_count == kMostHeld) {
    add(process.untracked_holds, 1);
    return;
  }
  thread.held[thread.held_count++] = {.lock = request.lock,
                                      .entry = entry,
                                      .since = since,
                                      .worked_ns = some_pause() ? worked_ns(thread) : 0,
                                      .place = place,
                                      .depth = 0,
                                      .is_shared = request.access == Access::kShared,
                                      .is_first = is_first,
                                      .is_watched = is_watched};
}

void count(Lock& entry, const Request& request, bool contended) {
  if (request.access == Access::kShared || !is_held(request)) {
    // Several threads may hold it at once.
    add(request.access == Access::kShared ? entry.shared_acquisitions : entry.acquisitions, 1);
    if (contended) add(entry.contended, 1);
    return;
  }
  add_alone(entry.acquisitions, 1);
  if (!contended) return;
  // Threads that read may count at the same time.
  if (request.kind == LockKind::kShared) {
    add(entry.contended, 1);
  } else {
    add_alone(entry.contended, 1);
  }
}

// Counts for a lock without an entry. Returns its place.
[[gnu::cold]] std::uint32_t count_unlisted(Process& process, const Request& request,
                                           bool contended) {
  const std::uint32_t number = place_of_first(process, request);
  Place* const place = place_at(number);
  add(place == nullptr ? process.placeless_acquisitions : place->unlisted_acquisitions, 1);
  if (contended) add(place == nullptr ? process.placeless_contended : place->unlisted_contended, 1);
  return number;
}

// `requested`, `now`: 0 if the time was not read.
void note_acquisition(Process& process, Thread& thread, const Request& request, bool contended,
                      std::uint64_t requested, std::uint64_t now) {
  if (thread.held_count != 0 && is_held(request)) {
    if (Held* const held = thread.find_held(request.lock)) {
      ++held->depth;
      if (held->entry != nullptr) add_alone(held->entry->recursions, 1);
      return;
    }
  }
  Lock* entry = find_lock(request.lock);
  const bool is_first = entry == nullptr;
  if (is_first) entry = add_lock_of(process, request);
  std::uint32_t place = 0;
  if (entry != nullptr) {
    count(*entry, request, contended);
    place = entry->place.load(kRelaxed);
    if (place == 0) [[unlikely]]
      add(process.placeless_acquisitions, 1);
  } else {
    place = count_unlisted(process, request, contended);
  }
  const bool is_watched = entry != nullptr && entry->released.load(kRelaxed) != 0;
  if (is_watched && !contended) [[unlikely]] {
    now = now == 0 ? ticks() : now;
    busy_since(*entry).store(now, kRelaxed);
  }
  std::uint64_t since = 0;
  if (is_sampled(thread)) {
    since = now == 0 ? ticks() : now;
    process.last_ticks.store(since, kRelaxed);
  }
  if (place != 0) [[likely]] {
    note_thread(thread, place);
    if (contended && thread.unplaced.since == requested && requested != 0) [[unlikely]] {
      add_wait(process, *place_at(place), thread.unplaced.since, thread.unplaced.until);
      thread.unplaced = {};
    }
    end_thinking(thread, place, requested == 0 ? since : requested);
  }
  hold(thread, process, request, entry, place, since, is_first, is_watched);
}

[[gnu::noinline, gnu::cold]] void learn(Place& place, const void* caller) {
  Callers first;
  first.count = 0;
  for (const CodeAddress& one : place.callers) {
    const std::uint64_t address = one.address.load(kRelaxed);
    if (address == 0) break;
    first.addresses[first.count++] = reinterpret_cast<const void*>(address);
  }
  if (first.count == 0 || place.depth.load(kRelaxed) != 0) return;
  place.depth.store(static_cast<std::uint32_t>(learn_depth(first, caller)), kRelaxed);
}

// Notes on which kind of core a sampled hold ended. Where the kernel does not tell the thread of
// its processor through memory (rseq, vDSO), sched_getcpu() is a system call, which a restricted
// process may not make.
[[gnu::noinline, gnu::cold]] void note_core(const Header& header, Place& place,
                                            std::uint64_t held) {
  const int processor = MappedRecording::is_filtered() ? -1 : sched_getcpu();
  if (processor < 0 || static_cast<std::size_t>(processor) >= Header::kProcessors) return;
  const std::size_t kind = header.core_kind_of[static_cast<std::size_t>(processor)].load(kRelaxed);
  if (kind == 0 || kind > Place::kMostCoreKinds) return;
  HoldsOnCores& found = place.on_cores[kind - 1];
  add(found.holds, 1);
  add(found.ticks, held);
}

void note_hold(Place& place, std::uint64_t held) {
  record(place.hold, held);
  const Header& header = *MappedRecording::header();
  if (header.core_kinds.load(kRelaxed) != 0) [[unlikely]]
    note_core(header, place, held);
}

// Removes the innermost hold of the lock, unless it is held once more.
void note_release(Thread& thread, const void* lock, const void* caller, bool thinks) {
  Held* const held = thread.find_held(lock);
  if (held == nullptr) return;
  if (held->depth > 0) {
    --held->depth;
    return;
  }
  if (changes_holds()) [[unlikely]] {
    pay(thread);
    change_hold(thread, *held);
  }
  if (held->since != 0 || held->is_watched) {
    const std::uint64_t now = ticks();
    if (held->is_watched) held->entry->released.store(now, kRelaxed);
    Place* const place = held->since == 0 ? nullptr : place_at(held->place);
    if (place != nullptr) {
      note_hold(*place, elapsed(held->since, now));
      if (thinks) begin_thinking(thread, held->place, now);
    }
  }
  if (held->is_first) [[unlikely]] {
    if (Place* const place = place_at(held->place)) learn(*place, caller);
  }
  Held* const end = &thread.held[thread.held_count];
  if (held + 1 != end) std::copy(held + 1, end, held);
  --thread.held_count;
}

// A semaphore that others post is an event.
bool is_lock(Lock& semaphore) {
  return own_posts(semaphore).load(kRelaxed) != 0 && other_posts(semaphore).load(kRelaxed) == 0;
}

void set_kind(Process& process, Lock& entry, LockKind kind) {
  const Place* const place = place_at(entry.place.load(kRelaxed));
  entry.kind.store(static_cast<std::uint32_t>(kind), kRelaxed);
  if (place == nullptr) return;
  const std::uint32_t number = place_number(process, *place, kind);
  if (number != 0) entry.place.store(number, kRelaxed);
}

// Times that this thread went to sleep.
long sleeps_of_this_thread() {
  if (MappedRecording::is_filtered()) return 0;
  rusage used{};
  return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nvcsw : 0;
}

// When conditions were signalled last. Those that have one entry in common take turns: what is
// then not known is not counted.
struct Signal {
  std::atomic<const void*> condition;
  std::atomic<std::uint64_t> ticks;
};
constexpr std::size_t kSignals = 1024;
Signal the_signals[kSignals];

Signal& signal_of(const void* condition) {
  static_assert(kSignals == std::size_t{1} << (64 - 54));
  return the_signals[hashed(condition) >> 54];
}

// Since when the thread has waited for the mutex inside of a wait for a condition; 0: it got the
// mutex at once. It slept twice: until it was signalled, and until the mutex was released. When it
// woke is not known, but before the mutex was busy it did not wait for it.
std::uint64_t waits_for_mutex_since(const void* condition, Lock& mutex, const ConditionWait& wait) {
  const Signal& signal = signal_of(condition);
  if (signal.condition.load(kRelaxed) != condition) return 0;
  const std::uint64_t signalled = signal.ticks.load(kRelaxed);
  if (signalled < wait.since || mutex.released.load(kRelaxed) <= signalled) return 0;
  if (sleeps_of_this_thread() - wait.switches < 2) return 0;
  return std::max(signalled, busy_since(mutex).load(kRelaxed));
}

}  // namespace

bool recording() {
  return active() != nullptr;
}

void before_acquisition() {
  if (!some_pause()) [[likely]]
    return;
  if (Process* const process = active()) pay_pauses(thread_of(*process));
}

void acquired(const Request& request) {
  Process* const process = active();
  if (process == nullptr) return;
  Thread& thread = thread_of(*process);
  if (thread.inside.depth == 0) [[likely]]
    note_acquisition(*process, thread, request, false, 0, 0);
}

std::uint64_t wait_begins(const Request& request) {
  Process* const process = active();
  if (process == nullptr) return 0;
  Thread& thread = thread_of(*process);
  pay(thread);
  if (thread.inside.depth != 0) return begin_wait_inside(*process, thread);
  return begin_wait_for(*process, thread, request);
}

void wait_ends(const Request& request, std::uint64_t since, bool acquired) {
  Process* const process = since == 0 ? nullptr : this_process();
  if (process == nullptr) return;
  const std::uint64_t now = ticks();
  end_wait_if_begun(*process, this_thread(), since, now);
  Thread& thread = thread_of(*process);
  if (acquired) forgive(thread);
  if (!acquired || thread.inside.depth != 0) return;
  note_acquisition(*process, thread, request, true, since, now);
}

void try_failed(const void* lock) {
  if (active() == nullptr) return;
  if (Lock* const entry = find_lock(lock)) add(entry->failed_tries, 1);
}

void released(const void* lock, const void* caller) {
  // A hold that began before a pause ends during it.
  Process* const process = this_process();
  if (process == nullptr || this_thread().process != process) return;
  note_release(thread_of(*process), lock, caller, true);
}

void semaphore_posted(const void* semaphore) {
  before_acquisition();
  Process* const process = active();
  Lock* const entry = process == nullptr ? nullptr : find_lock(semaphore);
  if (entry == nullptr) return;
  const auto kind = static_cast<LockKind>(entry->kind.load(kRelaxed));
  const bool own = thread_of(*process).takes_back_wait(semaphore);
  add(own ? own_posts(*entry) : other_posts(*entry), 1);
  const LockKind now = is_lock(*entry) ? LockKind::kSemaphore : LockKind::kSemaphoreEvent;
  if (now != kind) set_kind(*process, *entry, now);
}

void futex_woken(const void* futex) {
  before_acquisition();
  Process* const process = active();
  Lock* const entry = process == nullptr ? nullptr : find_lock(futex);
  if (entry == nullptr) return;
  const bool own = thread_of(*process).has_waited(site_of(*entry));
  add(own ? own_posts(*entry) : other_posts(*entry), 1);
}

ConditionWait condition_wait_begins(const void* condition, const Request& mutex) {
  static_cast<void>(condition);
  Process* const process = this_process();
  if (process == nullptr) return {};
  Thread& thread = thread_of(*process);
  const bool counts = active() != nullptr;
  if (thread.inside.depth != 0) {
    return {.since = counts ? begin_wait_inside(*process, thread) : 0, .switches = 0};
  }
  if (Lock* const entry = find_lock(mutex.lock); entry != nullptr && counts) {
    add_alone(entry->condition_waits, 1);
    entry->released.store(ticks(), kRelaxed);
  }
  note_release(thread, mutex.lock, mutex.caller, false);
  if (!counts) return {};
  begin_wait(thread, *process, nullptr, false, ticks());
  return {.since = thread.waiting.since, .switches = sleeps_of_this_thread()};
}

void condition_wait_ends(const void* condition, const Request& mutex, const ConditionWait& wait,
                         bool signalled) {
  Process* const process = this_process();
  if (process == nullptr) return;
  const std::uint64_t now = ticks();
  end_wait_if_begun(*process, this_thread(), wait.since, now);
  if (active() == nullptr) return;
  Thread& thread = thread_of(*process);
  if (signalled) forgive(thread);
  if (thread.inside.depth != 0) return;
  std::uint64_t since = 0;
  Lock* const entry = find_lock(mutex.lock);
  if (entry != nullptr && signalled && wait.since != 0) {
    since = waits_for_mutex_since(condition, *entry, wait);
  }
  if (since != 0) {
    add_blocked(process->blocked, process->added_until, since_start(*process, since),
                since_start(*process, now));
    Place* const place = place_at(entry->place.load(kRelaxed));
    if (place != nullptr) add_wait(*process, *place, since, now);
  }
  note_acquisition(*process, thread, mutex, since != 0, now, now);
}

void condition_signalled(const void* condition) {
  if (active() == nullptr) return;
  before_acquisition();
  Signal& signal = signal_of(condition);
  signal.ticks.store(ticks(), kRelaxed);
  signal.condition.store(condition, kRelaxed);
}

std::uint64_t event_wait_begins() {
  Process* const process = active();
  if (process == nullptr) return 0;
  Thread& thread = thread_of(*process);
  if (thread.inside.depth != 0) return begin_wait_inside(*process, thread);
  pay(thread);
  begin_wait(thread, *process, nullptr, false, ticks());
  return thread.waiting.since;
}

void event_wait_ends(std::uint64_t since, bool woken) {
  Process* const process = this_process();
  if (process == nullptr) return;
  end_wait_if_begun(*process, this_thread(), since, ticks());
  if (since != 0 && woken) forgive(this_thread());
}

void futex_wait_ends(const Request& request, std::uint64_t since, bool slept, bool woken) {
  Process* const process = since == 0 ? nullptr : this_process();
  Thread& thread = this_thread();
  if (process == nullptr || thread.process != process || thread.waiting.since == 0) return;
  end_wait(thread, *process, ticks(), slept);
  if (woken) forgive(thread);
  if (!slept || thread.inside.depth != 0) return;
  note_acquisition(*process, thread, request, true, since, 0);
}

void ended(const void* lock) {
  if (this_process() != nullptr) end_lock(lock);
}

void thread_ends() {
  Process* const process = this_process();
  if (process != nullptr && this_thread().process == process) pay(thread_of(*process));
}

std::uint64_t thread_starts_another() {
  Process* const process = active();
  return process == nullptr ? 0 : thread_of(*process).pauses_ns;
}

void thread_begins(std::uint64_t pauses_ns) {
  if (Process* const process = active()) thread_of(*process).pauses_ns = pauses_ns;
}

void told_enters(const void* lock) {
  Process* const process = this_process();
  if (process == nullptr) return;
  Thread& thread = thread_of(*process);
  pay(thread);
  Inside& inside = thread.inside;
  if (inside.depth++ == 0) inside = {.lock = lock, .depth = 1, .waited_since = 0};
}

void told_leaves() {
  Process* const process = this_process();
  if (process == nullptr) return;
  Thread& thread = thread_of(*process);
  // None if the process was forked inside.
  if (thread.inside.depth != 0) --thread.inside.depth;
  // It left by an exception.
  if (thread.inside.depth == 0 && thread.waiting.since != 0) end_wait(thread, *process, ticks());
}

void told_acquired(const Request& request) {
  Process* const process = active();
  if (process == nullptr) return;
  Thread& thread = thread_of(*process);
  if (thread.inside.depth > 1) return;
  const std::uint64_t since = thread.inside.waited_since;
  note_acquisition(*process, thread, request, since != 0, since, 0);
}

std::uint64_t told_wait_begins(const Request& request) {
  Process* const process = active();
  if (process == nullptr) return 0;
  Thread& thread = thread_of(*process);
  if (thread.inside.depth > 1) return begin_wait_inside(*process, thread);
  return begin_wait_for(*process, thread, request);
}

void told_wait_ends(const Request& request, std::uint64_t since) {
  Process* const process = since == 0 ? nullptr : this_process();
  if (process == nullptr) return;
  const std::uint64_t now = ticks();
  end_wait_if_begun(*process, this_thread(), since, now);
  Thread& thread = thread_of(*process);
  forgive(thread);
  if (thread.inside.depth > 1) return;
  note_acquisition(*process, thread, request, true, since, now);
}

}  // namespace lockbench::observe
