// SPDX-License-Identifier: Apache-2.0

// WordHistory: the stores of one shared word in its modification order, and the data that decides
// which thread may still read which store (weak_memory.cc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stress/explore/memory/sc_order.h"
#include "harness/stress/explore/memory/vector_clock.h"

namespace lockbench::stress::explore {

// The sequentially consistent events that are ordered before a thread's next event, or before the
// event of a thread that synchronizes with a store.
struct ScKnowledge {
  ScSet before;  // events that strongly happen before the next event
  ScSet fences;  // fences that happen before the next event

  void join(const ScKnowledge& other) {
    before |= other.before;
    fences |= other.fences;
  }
};

// The position of an access in the coherence order of its word: after the store at `index`. If the
// access stores, it also comes after the accesses that have read that store.
struct OrderPosition {
  std::size_t index;
  bool stores;
};

struct StoreRecord {
  std::uint64_t bits = 0;
  std::uint64_t hash = 0;      // of the store and everything that it depends on
  std::uint64_t step = 0;      // of the execution
  const void* code = nullptr;  // address of the code
  std::uint32_t thread = 0;
  std::uint32_t stamp = 0;  // 0: happens before everything
  bool updates = false;     // a read-modify-write that read the store before it
  bool closed = false;      // ordered after closed events: no thread may read an older store
  VectorClock release;      // the clock that an acquiring thread joins
  ScKnowledge sc_release;
  // By thread: the stamp of its first read plus 1; 0: it has not read the store.
  std::array<std::uint32_t, kMaxThreads> read_at{};
  // In S, the `sources` of an access come before everything that follows the access in its word's
  // coherence order, and its `targets` come after everything that precedes it there.
  ScSet write_sources;
  ScSet read_sources;
  ScSet write_targets;
  ScSet read_targets;
};

// The knowledge that an acquiring thread joins when it reads a byte.
struct ByteRelease {
  VectorClock release;
  ScKnowledge sc_release;
};

struct WordHistory {
  std::vector<StoreRecord> stores;  // oldest first, without those that no thread can read
  // For a word that is accessed in several sizes: each byte has the release sequence of the stores
  // to it, by its offset from the next lower multiple of 8. Empty: all accesses were of one size.
  std::vector<ByteRelease> bytes_released;
  bool stored = false;       // since the size of its accesses changed last
  bool overwritten = false;  // by an access that is not atomic, since the last atomic one
  ScSet dropped_sources;
  std::array<std::uint32_t, kMaxThreads> accessed_at{};  // by thread: its last access, like read_at
  std::uint32_t born_by = 0;
  std::uint32_t born_at = 0;    // stamp; 0: ordered before all threads
  std::uint16_t polled_by = 0;  // a bit for each thread that has read it since its last wait
  const void* at = nullptr;
  unsigned bytes = 0;
};

}  // namespace lockbench::stress::explore
