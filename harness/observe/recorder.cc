// SPDX-License-Identifier: Apache-2.0

// Atomic accesses are relaxed if no comment says otherwise. The counts of a lock are written by its
// holder, so the lock orders them; what several threads add to is added to atomically; and readers
// need no order between two counts.
#include "harness/observe/recorder.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>
#include <unwind.h>

#include "harness/observe/loaded_code.h"
#include "harness/observe/ticks.h"

namespace lockbench::observe {
namespace {

constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

// Locks that a thread holds and of which it knows since when, innermost last.
struct Held {
  const void* lock;
  Lock* entry;          // nullptr: has none
  Place* place;         // nullptr: has none
  std::uint64_t since;  // 0: not sampled
  std::uint32_t depth;  // of acquisitions while it is held
};

// When the thread released a lock of a place, if it is to be timed until its next request there.
struct Thinking {
  const Place* place;
  std::uint64_t since;
};

constexpr std::size_t kMostHeld = 32;
constexpr std::size_t kThinking = 32;

// All zero at first.
struct Thread {
  const Process* process;  // that the rest is about
  std::uint32_t until_sample;
  std::uint32_t samples;
  std::uint32_t random;
  std::uint32_t held_count;
  std::array<Held, kMostHeld> held;
  std::array<Thinking, kThinking> thinking;
  std::array<std::uint64_t, Process::kPlaces / 64> used_places;
};

thread_local Thread this_thread_state;

Recording* the_recording = nullptr;
std::atomic<Process*> the_process{nullptr};

// By the only thread that writes the count now.
void add_alone(Count& count, std::uint64_t more) {
  count.store(count.load(kRelaxed) + more, kRelaxed);
}

void add(Count& count, std::uint64_t more) {
  count.fetch_add(more, kRelaxed);
}

void raise_to(Count& longest, std::uint64_t value) {
  std::uint64_t seen = longest.load(kRelaxed);
  while (seen < value && !longest.compare_exchange_weak(seen, value, kRelaxed)) {
  }
}

void record(TickHistogram& histogram, std::uint64_t elapsed) {
  // A thread may have moved to a processor whose counter is a little behind.
  if (elapsed > Histogram::kLimit - 1) elapsed = Histogram::kLimit - 1;
  histogram.counts[Histogram::bucket_of(elapsed)].fetch_add(1, kRelaxed);
  add(histogram.sum, elapsed);
  raise_to(histogram.longest, elapsed);
}

std::uint64_t elapsed(std::uint64_t since, std::uint64_t now) {
  return now > since ? now - since : 0;
}

void begin_blocked(BlockedTime& blocked, std::uint64_t now) {
  std::uint64_t seen = blocked.state.load(kRelaxed);
  std::uint64_t next = 0;
  do {
    next = seen == 0 ? (now << BlockedTime::kWaiterBits) + 1 : seen + 1;
  } while (!blocked.state.compare_exchange_weak(seen, next, kRelaxed));
}

void end_blocked(BlockedTime& blocked, std::uint64_t now) {
  constexpr std::uint64_t kWaiters = (std::uint64_t{1} << BlockedTime::kWaiterBits) - 1;
  std::uint64_t seen = blocked.state.load(kRelaxed);
  std::uint64_t next = 0;
  do {
    next = (seen & kWaiters) <= 1 ? 0 : seen - 1;
  } while (!blocked.state.compare_exchange_weak(seen, next, kRelaxed));
  if (next == 0 && seen != 0) add(blocked.ticks, elapsed(seen >> BlockedTime::kWaiterBits, now));
}

// The number of acquisitions until the next sampled one: random, so that a program that does the
// same things in turn does not have always the same one sampled. Its mean is kSampleEvery. The
// first acquisitions of a thread are all sampled, for threads that have few.
std::uint32_t next_distance(Thread& thread) {
  if (++thread.samples <= kSampledFirst) return 1;
  std::uint32_t x = thread.random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  thread.random = x;
  return 1 + x % (2 * kSampleEvery - 1);
}

[[gnu::noinline, gnu::cold]] void begin_thread(Thread& thread, Process& process) {
  std::memset(&thread, 0, sizeof thread);
  thread.process = &process;
  const std::uint32_t number = process.threads.fetch_add(1, kRelaxed);
  thread.random = (number + 1) * 2654435761U | 1;
  thread.until_sample = next_distance(thread);
}

Thread& thread_of(Process& process) {
  Thread& thread = this_thread_state;
  if (thread.process != &process) [[unlikely]]
    begin_thread(thread, process);
  return thread;
}

// The process to record in, or nullptr.
Process* active() {
  Process* const process = the_process.load(kRelaxed);
  if (process == nullptr || the_recording->paused.load(kRelaxed) != 0) return nullptr;
  return process;
}

void copy_path(Module& module, const char* path) {
  const std::size_t bytes = std::min(std::strlen(path), module.path.size() - 1);
  std::memcpy(module.path.data(), path, bytes);  // a zero follows
}

// The index + 1 of the program or library that contains the address.
std::uint32_t module_of(Process& process, const void* address) {
  const LoadedCode code = code_at(address);
  if (code.library == nullptr) return 0;
  if (code.library[0] == '\0') {
    process.modules[0].bias.store(code.bias, kRelaxed);
    return 1;
  }
  for (std::size_t i = 1; i < process.modules.size(); ++i) {
    Module& module = process.modules[i];
    if (module.path[0] == '\0') {
      // Two threads may list one module twice, which costs an entry only.
      module.bias.store(code.bias, kRelaxed);
      copy_path(module, code.library);
      return static_cast<std::uint32_t>(i + 1);
    }
    if (module.bias.load(kRelaxed) == code.bias) return static_cast<std::uint32_t>(i + 1);
  }
  return 0;
}

std::uint64_t hashed(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15U;
}

struct Callers {
  std::array<const void*, Place::kMostCallers> addresses{};
  std::size_t count = 1;
  std::size_t wanted = 1;
  bool is_past_first = false;
};

_Unwind_Reason_Code add_caller(_Unwind_Context* context, void* argument) {
  auto& callers = *static_cast<Callers*>(argument);
  const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  // The frames of this library come first, then the known caller.
  if (callers.is_past_first) {
    callers.addresses[callers.count++] = address;
  } else {
    callers.is_past_first = address == callers.addresses[0];
  }
  return callers.count == callers.wanted ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// The unwinder is linked into this library. With glibc 2.35 and later it finds the tables of a
// function without a lock and without memory; with an older one there is one caller.
Callers callers_of(const Request& request) {
  Callers callers;
  callers.addresses[0] = request.caller;
  callers.wanted =
      std::min<std::size_t>(the_recording->callers.load(kRelaxed), callers.addresses.size());
#if __GLIBC_PREREQ(2, 35)
  if (callers.wanted > 1) _Unwind_Backtrace(add_caller, &callers);
#endif
  return callers;
}

[[gnu::noinline]] Place* place_of(Process& process, const Request& request) {
  constexpr std::size_t kMostProbes = 64;
  const Callers callers = callers_of(request);
  // 0 means a free entry; two sequences of callers with one key are one place.
  std::uint64_t wanted = 1;
  for (std::size_t i = 0; i < callers.count; ++i) {
    wanted = wanted * 31 + hashed(callers.addresses[i]);
  }
  if (wanted == 0) wanted = 1;
  const std::size_t first = wanted >> 53;
  static_assert(Process::kPlaces == std::size_t{1} << (64 - 53));
  for (std::size_t i = 0; i < kMostProbes; ++i) {
    Place& place = process.places[(first + i) % Process::kPlaces];
    std::uint64_t seen = place.key.load(kRelaxed);
    if (seen == wanted) return &place;
    if (seen != 0) continue;
    if (place.key.compare_exchange_strong(seen, wanted, kRelaxed)) {
      place.kind.store(static_cast<std::uint32_t>(request.kind), kRelaxed);
      for (std::size_t k = 0; k < callers.count; ++k) {
        const void* const address = callers.addresses[k];
        place.callers[k].module.store(module_of(process, address), kRelaxed);
        place.callers[k].address.store(reinterpret_cast<std::uint64_t>(address), kRelaxed);
      }
      return &place;
    }
    if (seen == wanted) return &place;
  }
  return nullptr;
}

std::uint32_t number_of(const Process& process, const Place* place) {
  return place == nullptr ? 0 : static_cast<std::uint32_t>(place - process.places.data()) + 1;
}

Place* place_at(Process& process, std::uint32_t number) {
  return number == 0 ? nullptr : &process.places[number - 1];
}

// First near the lock's own place in memory, so that locks which share a page have entries that do;
// then at a hashed place, for locks that are denser than entries.
constexpr std::size_t kNearProbes = 8;
constexpr std::size_t kLockProbes = 40;
constexpr std::uint64_t kPreparing = 1;

Lock& probed(Process& process, const void* lock, std::size_t probe) {
  static_assert(Process::kLocks == std::size_t{1} << (64 - 44));
  const std::size_t start =
      probe < kNearProbes ? reinterpret_cast<std::uintptr_t>(lock) >> 5 : hashed(lock) >> 44;
  return process.locks[(start + probe) % Process::kLocks];
}

Lock* find_lock(Process& process, const void* lock) {
  const auto wanted = reinterpret_cast<std::uint64_t>(lock);
  for (std::size_t i = 0; i < kLockProbes; ++i) {
    Lock& entry = probed(process, lock, i);
    // acquire: with add_lock(), which stores the place before.
    const std::uint64_t seen = entry.address.load(std::memory_order_acquire);
    if (seen == wanted) return &entry;
    if (seen == 0) return nullptr;
  }
  return nullptr;
}

// Adds the counts of a lock that has ended to its place, and clears the entry.
void fold(Process& process, Lock& entry) {
  if (Place* const place = place_at(process, entry.place.load(kRelaxed))) {
    add(place->ended_locks, 1);
    add(place->ended_acquisitions,
        entry.acquisitions.load(kRelaxed) + entry.shared_acquisitions.load(kRelaxed));
    add(place->ended_contended, entry.contended.load(kRelaxed));
  }
  for (Count* const count : {&entry.acquisitions, &entry.shared_acquisitions, &entry.contended,
                             &entry.failed_tries, &entry.condition_waits, &entry.recursions}) {
    count->store(0, kRelaxed);
  }
}

// Claims a free entry, or one of a lock that has ended. nullptr: there is none near.
[[gnu::noinline]] Lock* add_lock(Process& process, const Request& request) {
  for (const bool reuse : {false, true}) {
    for (std::size_t i = 0; i < kLockProbes; ++i) {
      Lock& entry = probed(process, request.lock, i);
      std::uint64_t seen = entry.address.load(kRelaxed);
      const bool usable = seen == 0 || (reuse && seen != kPreparing && (seen & 1) != 0);
      if (!usable || !entry.address.compare_exchange_strong(seen, kPreparing, kRelaxed)) continue;
      fold(process, entry);
      entry.place.store(number_of(process, place_of(process, request)), kRelaxed);
      entry.kind.store(static_cast<std::uint32_t>(request.kind), kRelaxed);
      // release: with find_lock().
      entry.address.store(reinterpret_cast<std::uint64_t>(request.lock), std::memory_order_release);
      return &entry;
    }
  }
  return nullptr;
}

Lock* lock_of(Process& process, const Request& request) {
  Lock* const found = find_lock(process, request.lock);
  return found != nullptr ? found : add_lock(process, request);
}

// The holds of this thread are few: the innermost is the likeliest.
Held* find_held(Thread& thread, const void* lock) {
  for (std::uint32_t i = thread.held_count; i > 0; --i) {
    if (thread.held[i - 1].lock == lock) return &thread.held[i - 1];
  }
  return nullptr;
}

void note_order(Process& process, const Place& first, const Place& second) {
  constexpr std::size_t kMostProbes = 16;
  const std::uint64_t wanted =
      std::uint64_t{number_of(process, &first)} << 32 | number_of(process, &second);
  const std::size_t start = (wanted * 0x9E3779B97F4A7C15U) >> 52;
  static_assert(Process::kOrders == std::size_t{1} << (64 - 52));
  for (std::size_t i = 0; i < kMostProbes; ++i) {
    Count& places = process.orders[(start + i) % Process::kOrders].places;
    std::uint64_t seen = places.load(kRelaxed);
    if (seen == wanted) return;
    if (seen == 0 && places.compare_exchange_strong(seen, wanted, kRelaxed)) return;
    if (seen == wanted) return;
  }
}

void note_thread(Thread& thread, Process& process, Place& place) {
  const std::uint32_t index = number_of(process, &place) - 1;
  std::uint64_t& word = thread.used_places[index / 64];
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  if ((word & bit) != 0) return;
  word |= bit;
  place.threads.fetch_add(1, kRelaxed);
}

void end_thinking(Thread& thread, Place& place, std::uint64_t now) {
  Thinking& thinking = thread.thinking[(&place - thread.process->places.data()) % kThinking];
  if (thinking.since == 0 || thinking.place != &place) return;
  record(place.think, elapsed(thinking.since, now == 0 ? ticks() : now));
  thinking.since = 0;
}

// Whether this acquisition's hold is timed.
bool is_sampled(Thread& thread) {
  if (--thread.until_sample != 0) return false;
  thread.until_sample = next_distance(thread);
  return true;
}

void hold(Thread& thread, Process& process, const Request& request, Lock* entry, Place* place,
          std::uint64_t since) {
  // A semaphore may be posted by any thread, so nobody holds it.
  if (request.kind == LockKind::kSemaphore) return;
  if (thread.held_count != 0 && place != nullptr) {
    const Place* const around = thread.held[thread.held_count - 1].place;
    if (around != nullptr && around != place) note_order(process, *around, *place);
  }
  if (thread.held_count == kMostHeld) {
    add(process.untracked_holds, 1);
    return;
  }
  thread.held[thread.held_count++] = {request.lock, entry, place, since, 0};
}

void count(Lock& entry, const Request& request, bool contended) {
  if (request.access == Access::kShared || request.kind == LockKind::kSemaphore) {
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

void count_unlisted(Process& process, const Request& request, Place*& place, bool contended) {
  place = place_of(process, request);
  if (place == nullptr) return;
  add(place->unlisted_acquisitions, 1);
  if (contended) add(place->unlisted_contended, 1);
}

// `requested`, `now`: 0 if the time was not read.
void note_acquisition(Process& process, const Request& request, bool contended,
                      std::uint64_t requested, std::uint64_t now) {
  Thread& thread = thread_of(process);
  if (request.kind != LockKind::kSemaphore && thread.held_count != 0) {
    if (Held* const held = find_held(thread, request.lock)) {
      ++held->depth;
      if (held->entry != nullptr) add_alone(held->entry->recursions, 1);
      return;
    }
  }
  Lock* const entry = lock_of(process, request);
  Place* place = nullptr;
  if (entry != nullptr) {
    count(*entry, request, contended);
    place = place_at(process, entry->place.load(kRelaxed));
  } else {
    count_unlisted(process, request, place, contended);
  }
  std::uint64_t since = 0;
  if (is_sampled(thread)) {
    since = now == 0 ? ticks() : now;
    process.last_ticks.store(since, kRelaxed);
  }
  if (place != nullptr) {
    note_thread(thread, process, *place);
    end_thinking(thread, *place, requested == 0 ? since : requested);
  }
  hold(thread, process, request, entry, place, since);
}

// Removes the innermost hold of the lock, unless it is held once more.
void note_release(Process& process, const void* lock, bool thinks) {
  Thread& thread = this_thread_state;
  if (thread.process != &process) return;
  Held* const held = find_held(thread, lock);
  if (held == nullptr) return;
  if (held->depth > 0) {
    --held->depth;
    return;
  }
  if (held->since != 0 && held->place != nullptr) {
    const std::uint64_t now = ticks();
    record(held->place->hold, elapsed(held->since, now));
    if (thinks) {
      thread.thinking[(held->place - process.places.data()) % kThinking] = {held->place, now};
    }
  }
  Held* const end = &thread.held[thread.held_count];
  std::copy(held + 1, end, held);
  --thread.held_count;
}

}  // namespace

void begin_recording(Recording& recording, bool forked) {
  the_recording = &recording;
  const std::uint32_t index = recording.claimed.fetch_add(1, kRelaxed);
  if (index >= Recording::kProcesses) {
    the_process.store(nullptr, kRelaxed);
    return;
  }
  Process& process = recording.processes[index];
  char path[kMostPathBytes + 1] = {};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) copy_path(process.modules[0], path);
  process.parent.store(static_cast<std::uint32_t>(getppid()), kRelaxed);
  process.forked.store(forked ? 1 : 0, kRelaxed);
  const std::uint64_t now = ticks();
  process.start_ticks.store(now, kRelaxed);
  process.last_ticks.store(now, kRelaxed);
  process.start_ns.store(monotonic_ns(), kRelaxed);
  // release: a reader that sees the number sees the rest.
  process.pid.store(static_cast<std::uint32_t>(getpid()), std::memory_order_release);
  the_process.store(&process, kRelaxed);
}

void begin_in_child() {
  if (the_recording != nullptr) begin_recording(*the_recording, true);
}

bool recording() {
  return active() != nullptr;
}

void acquired(const Request& request) {
  if (Process* const process = active()) note_acquisition(*process, request, false, 0, 0);
}

Wait wait_begins(const Request& request) {
  Process* const process = active();
  if (process == nullptr) return {};
  // The lock is somebody's, so it usually has its entry. The caller is not its place.
  const Lock* const entry = find_lock(*process, request.lock);
  Wait wait{.since = ticks(),
            .place = entry == nullptr ? nullptr : place_at(*process, entry->place.load(kRelaxed))};
  const std::uint64_t now = wait.since - process->start_ticks.load(kRelaxed);
  begin_blocked(process->blocked, now);
  if (wait.place != nullptr) begin_blocked(wait.place->blocked, now);
  return wait;
}

void wait_ends(const Request& request, const Wait& wait, bool acquired) {
  Process* const process = the_process.load(kRelaxed);
  if (wait.since == 0 || process == nullptr) return;
  const std::uint64_t now = ticks();
  const std::uint64_t since_start = now - process->start_ticks.load(kRelaxed);
  end_blocked(process->blocked, since_start);
  process->last_ticks.store(now, kRelaxed);
  if (wait.place != nullptr) {
    end_blocked(wait.place->blocked, since_start);
    record(wait.place->wait, elapsed(wait.since, now));
  }
  if (acquired) note_acquisition(*process, request, true, wait.since, now);
}

void try_failed(const void* lock) {
  Process* const process = active();
  if (process == nullptr) return;
  if (Lock* const entry = find_lock(*process, lock)) add(entry->failed_tries, 1);
}

void released(const void* lock) {
  // A hold that began before a pause ends during it.
  if (Process* const process = the_process.load(kRelaxed)) note_release(*process, lock, true);
}

void condition_wait_begins(const void* lock) {
  Process* const process = the_process.load(kRelaxed);
  if (process == nullptr) return;
  if (Lock* const entry = find_lock(*process, lock); entry != nullptr && active() != nullptr) {
    add_alone(entry->condition_waits, 1);
  }
  note_release(*process, lock, false);
}

void condition_wait_ends(const Request& request) {
  Process* const process = active();
  if (process == nullptr) return;
  Thread& thread = thread_of(*process);
  Lock* const entry = lock_of(*process, request);
  Place* const place = entry == nullptr ? nullptr : place_at(*process, entry->place.load(kRelaxed));
  hold(thread, *process, request, entry, place, is_sampled(thread) ? ticks() : 0);
}

void ended(const void* lock) {
  Process* const process = the_process.load(kRelaxed);
  if (process == nullptr) return;
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  if (Lock* const entry = find_lock(*process, lock)) entry->address.store(address + 1, kRelaxed);
}

}  // namespace lockbench::observe
