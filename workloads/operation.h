// SPDX-License-Identifier: Apache-2.0

// What every workload has in common.
//
// A workload is a class template over the primitive and the kind of key. It is made once a trial,
// before any thread, and holds what the threads share; each thread then has an Actor of it.
//
//   using KeyKind = K;
//   static constexpr std::string_view kName, kSummary;
//   static constexpr bool kAccepts;          // the primitive can do what the workload asks for
//   static constexpr std::string_view kNeeds;  // what that is, for people
//   static constexpr std::array<std::string_view, n> kScenarios;  // variants that users can name
//   static std::string refusal(const WorkloadSettings& settings, std::uint64_t holders);
//                                            // optional: why it cannot run so, and what would be
//                                            // right; empty: it can. `holders` of a key at once
//   static bool served_by_others(const WorkloadSettings& settings);
//                                            // optional: processes that are not the trial's, such
//                                            // as a database server, work for it
//   static constexpr std::uint32_t kAcquisitions;  // optional: of one operation; else 1
//   static constexpr std::array<std::string_view, n> kUsualPrimitives;
//   static constexpr std::uint64_t kUsualKeys;
//   static constexpr KeyType kUsualKeyType;  // optional: what a sweep has where the user gives
//                                            // nothing; else SweepDefaults of
//                                            harness/plan/preset.h
//   Workload(P& primitive, const WorkloadSettings& settings, const SpinPace& pace);
//   Actor actor(std::uint32_t thread);       // on the thread that will use it
//   using Tally = …;                         // what an actor notes
//   Proof prove(const Tallies<Tally>& tallies);  // once, when all threads have left
//   std::optional<HoldBound> hold_bound() const;
//
//   template <class Probe> bool Actor::operate(Probe& probe);  // one operation; false: gave up
//   std::uint64_t Actor::given_up() const;
//   const Tally& Actor::tally() const;
//
// What does not depend on the primitive, the tally and the proof for the most part, is best kept in
// a class of its own, as PerKeyBooks is: it is then compiled once and not for every primitive.
//
// A workload of processes says `static constexpr bool kProcesses = true;`. Each actor then lives in
// a child of the process that made the workload: what prove() needs is in memory that they share,
// and it is given no tallies.
//
// A Probe is how the harness watches an acquisition; what it measures is its own business:
//
//   bool probe.acquire(handle, timeout)      // lock(), or try_lock_for() when timeout is not 0
//   void probe.release(handle)               // unlock()
//   static constexpr bool kWatches           // it records something
//
// Shared records are relaxed atomics that are loaded and stored, never read-modify-written: they
// add no ordering that could hide a broken lock, and a race on them is defined behaviour.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/layout.h"
#include "workloads/key_names.h"
#include "workloads/key_sequence.h"
#include "workloads/proof.h"
#include "workloads/settings.h"
#include "workloads/work.h"

namespace lockbench {

template <class Workload>
inline constexpr bool kProcesses = requires {
  requires Workload::kProcesses;
};

// What the actors of a trial noted, in the order of their threads.
template <class Tally>
using Tallies = std::vector<const Tally*>;

// What bounds the makespan of fixed work under a perfect lock.
struct HoldBound {
  std::uint64_t busiest_key_holds = 0;     // holds of the key that has most, all threads together
  std::uint64_t busiest_thread_holds = 0;  // holds of the thread that has most
  std::uint64_t holds = 0;                 // all
};

// The keys of a trial as the primitive takes them: numbers, or their names.
template <Key K>
class KeySpace;

template <>
class KeySpace<std::uint64_t> {
 public:
  KeySpace(std::uint64_t, std::string_view, std::string_view) {}
  std::uint64_t operator[](std::uint64_t key) const { return key; }
};

template <>
class KeySpace<std::string_view> {
 public:
  KeySpace(std::uint64_t keys, std::string_view prefix, std::string_view suffix)
      : names_(prefix, keys, suffix) {}
  std::string_view operator[](std::uint64_t key) const { return names_[key]; }

 private:
  KeyNames names_;
};

// A primitive that at most one thread can be inside of, per key (`none` counts: the proof convicts
// it).
template <class P, class K>
inline constexpr bool kOneHolder = KeyedLock<P, K> && !LeaseLock<P, K>;

// One value that a lock guards. Its own cache line, as a user's record would have.
struct alignas(platform::kCacheLine) Guarded {
  std::atomic<std::uint64_t> value{0};

  // relaxed throughout: the lock under test is what must order these.
  std::uint64_t read() const { return value.load(std::memory_order_relaxed); }
  void write(std::uint64_t v) { value.store(v, std::memory_order_relaxed); }
};

// What a hold of kTouch writes: its own lines for each of `count` keys.
class HoldLines {
 public:
  HoldLines(std::uint64_t count, std::uint32_t lines) : lines_(lines), all_(count * lines) {}

  CacheLine* of(std::uint64_t index) { return all_.data() + index * lines_; }

 private:
  std::uint64_t lines_;
  std::vector<CacheLine> all_;
};

// The bound for fixed work of which `count(cursor, tally)` adds to tally[k] how often key k was
// held by the thread whose cursor stands at the end of its work.
template <class Count>
HoldBound bound_of_sequences(const KeySequences& sequences, const WorkloadSettings& settings,
                             std::uint32_t keys_per_operation, Count count) {
  std::vector<std::uint64_t> tally(settings.keys);
  for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
    KeyCursor cursor(sequences.of(thread));
    cursor.skip(settings.operations * keys_per_operation);
    count(cursor, std::span(tally));
  }
  return {.busiest_key_holds = *std::max_element(tally.begin(), tally.end()),
          .busiest_thread_holds = settings.operations,
          .holds = settings.operations * settings.threads};
}

// The same for one key an operation.
inline HoldBound bound_of_sequences(const KeySequences& sequences,
                                    const WorkloadSettings& settings) {
  return bound_of_sequences(
      sequences, settings, 1,
      [](const KeyCursor& cursor, std::span<std::uint64_t> tally) { cursor.count_into(tally); });
}

}  // namespace lockbench
