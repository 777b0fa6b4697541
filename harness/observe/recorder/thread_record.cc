// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/thread_record.h"

#include <cstring>
#include <pthread.h>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/pauses.h"

namespace lockbench::observe {
namespace {

// The C library keeps the values of the first keys in the thread itself, so it does not allocate.
constexpr pthread_key_t kKeysInThread = 32;
pthread_key_t the_key = kKeysInThread;

}  // namespace

thread_local constinit Thread internal::the_thread{};

[[gnu::noinline, gnu::cold]] void begin_thread(Thread& thread, Process& process) {
  std::memset(&thread, 0, sizeof thread);
  thread.process = &process;
  thread.number = process.threads.fetch_add(1, kRelaxed) + 1;
  thread.random = thread.number * 2654435761U | 1;
  thread.until_sample = internal::next_distance(thread);
  if (some_pause()) begin_pauses_of(thread);
  if (the_key < kKeysInThread) pthread_setspecific(the_key, &thread);
}

// The number of acquisitions until the next sampled one: random, so that a program that does the
// same things in turn does not have always the same one sampled. Its mean is kSampleEvery. The
// first acquisitions of a thread are all sampled, for threads that have few.
std::uint32_t internal::next_distance(Thread& thread) {
  if (++thread.samples <= kSampledFirst) return 1;
  std::uint32_t x = thread.random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  thread.random = x;
  return 1 + x % (2 * kSampleEvery - 1);
}

[[gnu::noinline]] void internal::note_new_thread(Thread& thread, std::uint32_t place) {
  Place* const used = place_at(place);
  if (used == nullptr) return;
  if (place > kCountedPlaces) {
    std::uint32_t first = 0;
    if (used->thread.compare_exchange_strong(first, thread.number, kRelaxed)) {
      used->threads.store(1, kRelaxed);
    } else if (first != thread.number && used->threads.load(kRelaxed) < 2) {
      used->threads.store(2, kRelaxed);
    }
    return;
  }
  const std::uint32_t index = place - 1;
  thread.used_places[index / 64] |= std::uint64_t{1} << (index % 64);
  used->threads.fetch_add(1, kRelaxed);
}

void watch_ends_of_threads(void (*at_end)(void*)) {
  pthread_key_t key = 0;
  if (pthread_key_create(&key, at_end) != 0) return;
  if (key < kKeysInThread) {
    the_key = key;
  } else {
    pthread_key_delete(key);
  }
}

}  // namespace lockbench::observe
