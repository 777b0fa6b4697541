// SPDX-License-Identifier: Apache-2.0

// ThreadRecord: what a thread knows of its own locks. All zero at first: it costs a thread that
// acquires no lock nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/place_table.h"
#include "harness/observe/recorder/recorder.h"
#include "harness/observe/recorder/recording.h"
#include "harness/observe/recorder/ticks.h"

namespace lockbench::observe {

// Locks that a thread holds and of which it knows since when, innermost last.
struct Held {
  const void* lock;
  Lock* entry;              // nullptr: has none
  std::uint64_t since;      // 0: not sampled
  std::uint64_t worked_ns;  // when it began, on the clock of worked_ns() in pauses.h
  std::uint32_t place;      // its number; 0: has none
  std::uint32_t depth;      // of acquisitions while it is held
  bool is_shared;
  bool is_first;    // of its lock
  bool is_watched;  // threads wait for a condition with it
};

// When the thread released a lock of a place, if it is to be timed until its next request there.
struct Thinking {
  std::uint64_t since;  // 0: not
  std::uint32_t place;  // its number
};

struct Waiting {
  std::uint64_t since;  // 0: it does not wait
  Place* place;         // nullptr: has none
  bool counts;          // it waits for a lock, and not for an event
};

// The latest wait for a lock that had no place yet: nobody had acquired it since the recording
// began.
struct UnplacedWait {
  std::uint64_t since;  // 0: none
  std::uint64_t until;
};

// The thread is inside of a lock that tells of itself.
struct Inside {
  const void* lock;
  std::uint32_t depth;  // 0: it is not; above 1: of locks that tell of themselves in one another
  std::uint64_t waited_since;  // the first time; 0: it has not
};

inline constexpr std::size_t kMostHeld = 32;
inline constexpr std::size_t kThinking = 32;
inline constexpr std::size_t kWaited = 16;
inline constexpr std::size_t kOrdersKnown = 16;
inline constexpr std::size_t kCountedPlaces = 2048;

struct Thread {
  const Process* process;  // that the rest is about
  Waiting waiting;
  UnplacedWait unplaced;
  Inside inside;
  std::uint32_t until_sample;
  std::uint32_t samples;
  std::uint32_t random;
  std::uint32_t number;  // from 1
  std::uint32_t held_count;
  std::uint32_t waited_count;
  std::array<Held, kMostHeld> held;
  std::array<Thinking, kThinking> thinking;
  std::array<const void*, kWaited>
      waited;  // semaphores, and code that waits for futexes; the latest ones
  std::array<std::uint64_t, kOrdersKnown> orders;  // that it has noted
  std::array<std::uint64_t, kCountedPlaces / 64> used_places;
  std::array<std::uint32_t, Header::kChangedPlaces> changed;  // holds, by entry of the header
  std::uint64_t pauses_ns;  // paid, forgiven, or caused by its own holds (pauses.h)
  std::uint64_t paid_ns;    // in which it paused

  // The holds of a thread are few: the innermost is the likeliest.
  Held* find_held(const void* lock) {
    for (std::uint32_t i = held_count; i > 0; --i) {
      if (held[i - 1].lock == lock) return &held[i - 1];
    }
    return nullptr;
  }

  void remember_wait(const void* what) {
    if (!has_waited(what)) waited[waited_count++ % kWaited] = what;
  }

  bool has_waited(const void* what) const {
    return what != nullptr && std::find(waited.begin(), waited.end(), what) != waited.end();
  }

  // Each wait allows one post. False: it did not wait.
  bool takes_back_wait(const void* semaphore) {
    auto* const found = std::find(waited.begin(), waited.end(), semaphore);
    if (found == waited.end()) return false;
    *found = nullptr;
    return true;
  }
};

namespace internal {
// All zero, so that it needs no code before its first use.
extern thread_local constinit Thread the_thread;
std::uint32_t next_distance(Thread& thread);
void note_new_thread(Thread& thread, std::uint32_t place);
}  // namespace internal

inline Thread& this_thread() {
  return internal::the_thread;
}

void begin_thread(Thread& thread, Process& process);

// True if this acquisition's hold is timed.
inline bool is_sampled(Thread& thread) {
  if (--thread.until_sample != 0) return false;
  thread.until_sample = internal::next_distance(thread);
  return true;
}

inline void note_thread(Thread& thread, std::uint32_t place) {
  const std::uint32_t index = place - 1;
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  if (index < kCountedPlaces && (thread.used_places[index / 64] & bit) != 0) [[likely]]
    return;
  internal::note_new_thread(thread, place);
}

inline void begin_thinking(Thread& thread, std::uint32_t place, std::uint64_t now) {
  thread.thinking[place % kThinking] = {now, place};
}

// `now`: 0 if the time was not read.
inline void end_thinking(Thread& thread, std::uint32_t place, std::uint64_t now) {
  Thinking& thinking = thread.thinking[place % kThinking];
  if (thinking.since == 0 || thinking.place != place) return;
  record(place_at(place)->think, elapsed(thinking.since, now == 0 ? ticks() : now));
  thinking.since = 0;
}

// The thread has its end told to `at_end` from now on. Call it before any thread begins.
void watch_ends_of_threads(void (*at_end)(void*));

}  // namespace lockbench::observe
