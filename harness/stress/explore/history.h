// SPDX-License-Identifier: Apache-2.0

// History: the stores of one shared word in its modification order, with what decides who may still
// read which (see weak_memory.cc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stress/explore/sc_order.h"
#include "harness/stress/explore/vector_clock.h"

namespace lockbench::stress::explore {

// What a thread, or whoever synchronizes with a store, knows of sequentially consistent events.
struct ScKnowledge {
  ScSet before;  // events that strongly happen before whatever comes next
  ScSet fences;  // fences that happen before it

  void join(const ScKnowledge& other) {
    before |= other.before;
    fences |= other.fences;
  }
};

// Where an access stands in the coherence order of its word: after the store at `index`; if it
// stores, then also after those that have read that one.
struct Place {
  std::size_t index;
  bool stores;
};

struct StoreRecord {
  std::uint64_t bits = 0;
  std::uint64_t hash = 0;       // of the store and all that it depends on
  std::uint64_t step = 0;       // of the execution
  const void* place = nullptr;  // in code
  std::uint32_t thread = 0;
  std::uint32_t stamp = 0;  // 0: happens before everything
  bool updates = false;     // a read-modify-write that read the store before it
  bool closed = false;      // ordered after events that were closed: nobody may look past it
  VectorClock release;      // what who acquires it learns
  ScKnowledge sc_release;
  // By thread: one more than the stamp of its first read; 0: it has not read it.
  std::array<std::uint32_t, kMaxThreads> read_at{};
  // S has the `sources` of an access before whatever its word's coherence order has after the
  // access, and after the `targets` whatever it has before.
  ScSet write_sources;
  ScSet read_sources;
  ScSet write_targets;
  ScSet read_targets;
};

struct History {
  std::vector<StoreRecord> stores;  // oldest first; those that nobody can read any more are dropped
  ScSet dropped_sources;
  std::array<std::uint32_t, kMaxThreads> accessed_at{};  // by thread: its last access, as read_at
  std::uint32_t born_by = 0;
  std::uint32_t born_at = 0;       // stamp; 0: known to all
  std::uint16_t looked_at_by = 0;  // a bit for each thread that has read it since it last waited
  const void* at = nullptr;
  unsigned bytes = 0;
};

}  // namespace lockbench::stress::explore
