// SPDX-License-Identifier: Apache-2.0

// WorkerSlot: what a thread or process of an epoch records about itself, in memory that remains
// after its end.
//
// Invariants
//   I1  Only the thread or process that has the slot's number writes the slot's words.
//   I2  Nothing here orders other accesses (trace/shared_words.h): only the lock may order them.
//
// RecentEvents: the last events of one thread or process, in memory that remains after its end.
//
// Guarantees   It does not order other accesses (shared_words.h). It can be read at any time, also
//              if the writer has crashed or was killed. It allocates no memory.
// Invariants
//   I1  One thread writes. A thread that takes over its number starts after the first one has
//       ended.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/oracles/registry.h"
#include "harness/stress/report.h"
#include "harness/stress/trace/event.h"
#include "harness/stress/trace/shared_words.h"
#include "harness/stress/trace/trace_text.h"
#include "primitives/platform/clock.h"

namespace lockbench::stress {

class RecentEvents {
 public:
  void record(const Event& event, std::uint64_t ns) {
    Slot& slot = last_[get(count_) % kKept];
    put(slot.ns, ns);
    put(slot.event, pack(event));
    put(now_, pack(event));
    add(count_);
  }

  // The current act of the thread: its last event. set_now() changes this without recording an
  // event.
  Event now() const { return event_from(get(now_)); }
  void set_now(const Event& event) { put(now_, pack(event)); }

  std::uint64_t count() const { return get(count_); }

  // Appends the events that are still stored, from `since_ns` on.
  void append_to(std::vector<TimedEvent>& events, std::uint64_t since_ns) const {
    for (const Slot& slot : last_) {
      const Event event = event_from(get(slot.event));
      if (event.kind == Event::kNone || get(slot.ns) < since_ns) continue;
      events.push_back({.at = get(slot.ns), .event = event});
    }
  }

 private:
  static constexpr std::size_t kKept = 32;

  struct Slot {
    Word ns;
    Word event;
  };

  Word now_;
  Word count_;
  std::array<Slot, kKept> last_;
};

// Reads the clock that the locks use for timeouts.
inline std::int64_t now_ns() {
  return platform::now().time_since_epoch().count();
}

struct WorkerSlot {
  RecentEvents events;

  // Sums over all epochs.
  std::array<Word, kOracles> evaluations;
  std::array<Word, kPromises> promises;  // how often each was checked
  Word acquisitions;
  Word contended;  // acquisitions of a key while another thread was seen to hold it
  Word refusals;
  Word injections;
  Word longest_wait_ns;

  void count(Oracle oracle, std::uint64_t times = 1) {
    add(evaluations[static_cast<std::size_t>(oracle)], times);
  }

  // Runs the oracles on what the owner of this slot saw.
  template <class Seen>
  std::optional<FailureRecord> check(const Seen& seen, KeyStates* states = nullptr) {
    count_promises(seen, [this](Promise promise, std::uint64_t times) {
      add(promises[static_cast<std::size_t>(promise)], times);
    });
    return check_all(
        seen, [this](Oracle oracle, std::uint64_t times) { count(oracle, times); }, states);
  }
};

template <class Slots>
std::uint64_t sum_of(const Slots& slots, Word WorkerSlot::*word) {
  std::uint64_t sum = 0;
  for (const WorkerSlot& slot : slots) sum += get(slot.*word);
  return sum;
}

template <class Slots>
std::uint64_t highest_of(const Slots& slots, Word WorkerSlot::*word) {
  std::uint64_t highest = 0;
  for (const WorkerSlot& slot : slots) highest = std::max(highest, get(slot.*word));
  return highest;
}

template <class Slots>
Evaluations evaluations_of(const Slots& slots) {
  Evaluations all;
  for (const WorkerSlot& slot : slots) {
    for (std::size_t i = 0; i < kOracles; ++i) all.times[i] += get(slot.evaluations[i]);
    for (std::size_t i = 0; i < kPromises; ++i) all.of_promises[i] += get(slot.promises[i]);
  }
  return all;
}

// Adds to the report the last events of each slot since `began_ns`, ordered by time.
template <class Slots>
void report_trace(const Slots& slots, std::uint64_t began_ns, const std::string& actor,
                  Report& report) {
  std::vector<TimedEvent> events;
  for (const WorkerSlot& slot : slots) slot.events.append_to(events, began_ns);
  report.steps = steps_of(events, began_ns);
  report.trace = to_text(std::move(events), TimeUnit::kNanoseconds, began_ns, actor);
}

}  // namespace lockbench::stress
