// SPDX-License-Identifier: Apache-2.0

// The interface that every workload implements.
//
// A workload is a class template over the primitive and the kind of key. One object is created for
// each trial, before any thread starts, and contains what the threads share. Each thread then has
// an Actor of it.
//
//   using KeyKind = K;
//   static constexpr std::string_view kName, kSummary;
//   static constexpr bool kAccepts;          // the primitive can do what the workload needs
//   static constexpr std::string_view kNeeds;  // what that is, for messages
//   static constexpr std::array<std::string_view, n> kScenarios;  // variants that users can name
//   static std::string refusal(const WorkloadSettings& settings, std::uint64_t holders);
//                                            // optional: why it cannot run with the settings and
//                                            // what would be right; empty: it can. `holders`: how
//                                            // many threads may hold a key at once
//   static bool served_by_others(const WorkloadSettings& settings);
//                                            // optional: whether processes that do not belong to
//                                            // the trial, as a database server, work for it
//   static constexpr std::uint32_t kAcquisitions;  // optional: of one operation; otherwise 1
//   static constexpr std::array<std::string_view, n> kUsualPrimitives;
//   static constexpr std::uint64_t kUsualKeys;
//   static constexpr double kUsualWriteShare;  // it has operations that only read, too; the rest
//                                            // of its operations writes
//   static constexpr KeyType kUsualKeyType;  // optional: the values of a sweep if the user gives
//                                            // none; otherwise SweepDefaults of
//                                            // harness/bench/plan/preset.h
//   Workload(P& primitive, const WorkloadSettings& settings, const SpinPace& pace);
//   Actor actor(std::uint32_t thread);       // called on the thread that will use the actor
//   using Tally = …;                         // the counts of an actor
//   Proof prove(const Tallies<Tally>& tallies);  // called once, after all threads have left
//   std::optional<HoldBound> hold_bound() const;
//
//   template <class Probe> bool Actor::operate(Probe& probe);  // one operation; false: gave up
//   std::uint64_t Actor::given_up() const;
//   const Tally& Actor::tally() const;
//
// The parts that do not depend on the primitive, usually the tally and the proof, belong in a
// separate class, as PerKeyBooks. It is then compiled once and not for every primitive.
//
// A workload of processes declares `static constexpr bool kProcesses = true;`. Each actor then runs
// in a child of the process that created the workload. The data that prove() needs is in memory
// that they share, and prove() gets no tallies.
//
// A workload whose workers are processes if the user asks has the scenario kInProcesses. The
// objects that it guards are then in memory that the processes share (guarded_array.h), and it has
//
//   void save(std::uint32_t process, const Tally& tally);  // called in the process, at its end
//
// where it keeps what prove() needs, which then gets no tallies either.
//
// The harness times an acquisition with a Probe; the workload does not depend on what it measures:
//
//   bool probe.acquire(handle, timeout)      // lock(), or try_lock_for() if timeout is not 0
//   void probe.release(handle)               // unlock()
//   static constexpr bool kWatches           // it records something
//
// Shared records are relaxed atomics that are loaded and stored, without read-modify-write
// operations. They add no ordering that could hide a broken lock, and a race on them is defined
// behaviour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/layout.h"
#include "workloads/guarded_array.h"
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

// The scenario of a workload whose workers are usually threads: they are processes.
inline constexpr std::string_view kInProcesses = "processes";

// True if the workers of a trial are processes.
template <class Workload>
bool runs_processes(const WorkloadSettings& settings) {
  return kProcesses<Workload> || settings.scenario == kInProcesses;
}

// True if a primitive can lock between the processes of the scenario kInProcesses.
constexpr bool locks_between_processes(const Promises& promises) {
  return promises.scope != Scope::kThread;
}

// The tallies of the actors of a trial, in the order of their threads.
template <class Tally>
using Tallies = std::vector<const Tally*>;

// The numbers that limit the makespan of fixed work under a perfect lock.
struct HoldBound {
  std::uint64_t busiest_key_holds = 0;  // holds of the key that has most, by all threads together
  std::uint64_t busiest_thread_holds = 0;  // holds of the thread that has most
  std::uint64_t holds = 0;                 // all holds
};

// The keys of a trial in the form that the primitive accepts: numbers, or their names.
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

// A primitive that promises at most one holder per key. This includes `none`, whose proof then
// fails.
template <class P, class K>
inline constexpr bool kOneHolder = KeyedLock<P, K> && !LeaseLock<P, K>;

// One value that a lock guards. It has a cache line of its own, as a user's record would have.
struct alignas(platform::kCacheLine) Guarded {
  platform::Atomic<std::uint64_t> value{0};

  // relaxed throughout: the lock under test is what must order these.
  std::uint64_t read() const { return value.load(std::memory_order_relaxed); }
  void write(std::uint64_t v) { value.store(v, std::memory_order_relaxed); }
};

// The cache lines that a hold of kTouch writes: separate lines for each of `count` keys.
class HoldLines {
 public:
  HoldLines(std::uint64_t count, std::uint32_t lines, bool shared = false)
      : lines_(lines), all_(count * lines, shared && lines != 0) {}

  CacheLine* of(std::uint64_t index) { return all_.data() + index * lines_; }

 private:
  std::uint64_t lines_;
  GuardedArray<CacheLine> all_;
};

// The bound for fixed work. `count(cursor, tally)` adds to tally[k] how often key k was held by the
// thread whose cursor is at the end of its work.
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

// The same with one key per operation.
inline HoldBound bound_of_sequences(const KeySequences& sequences,
                                    const WorkloadSettings& settings) {
  return bound_of_sequences(
      sequences, settings, 1,
      [](const KeyCursor& cursor, std::span<std::uint64_t> tally) { cursor.count_into(tally); });
}

}  // namespace lockbench
