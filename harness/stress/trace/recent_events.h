// SPDX-License-Identifier: Apache-2.0

// RecentEvents: the last events of one thread or process, in memory that remains after its end.
//
// Guarantees   It does not order other accesses (shared_words.h). It can be read at any time, also
//              if the writer has crashed or was killed. It allocates no memory.
// Invariants
//   I1  One thread writes. A thread that takes over its number starts after the first one has
//       ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stress/trace/event.h"
#include "harness/stress/trace/shared_words.h"

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

  // What the thread does now: its last event. set_now() changes this without recording an event.
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

}  // namespace lockbench::stress
