// SPDX-License-Identifier: Apache-2.0

// Holds: what the clients of an epoch saw of their holds, and whether the lock can have served them
// one after the other: whether the history of each key is linearizable (M. Herlihy and J. Wing,
// "Linearizability", 1990). Pure.
//
// The object has one state, its holders. A hold is certain from the return of lock() until unlock()
// is called, or until the lock may have ended it by itself. A lock of capacity c can have served a
// key in some order if at no time more than c of its holds are certain: grant each where lock()
// returned, and end it where its certain time ends. If more than c are certain, no order is
// possible. So no search among orders is needed, as others need it for objects with more states (J.
// Wing and C. Gong, 1993). Refused tries are not checked: a lock at a service may refuse a key
// until the lease of a lost client ends.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "harness/stress/oracles/history.h"
#include "harness/stress/oracles/seen.h"
#include "harness/stress/trace/shared_words.h"

namespace lockbench::stress::services {

// The holds of one client, in memory that remains after its end. It keeps the first ones of an
// epoch: holds that are left out cannot make a history impossible.
class ClientHolds {
 public:
  static constexpr std::size_t kMost = 4096;

  void add(std::uint32_t key, std::uint64_t token, std::uint64_t requested_ns,
           std::uint64_t acquired_ns) {
    const std::uint64_t count = get(count_);
    if (count == kMost) return;
    Slot& slot = holds_[count];
    put(slot.key, key);
    put(slot.token, token);
    put(slot.requested_ns, requested_ns);
    put(slot.acquired_ns, acquired_ns);
    put(slot.releasing_ns, 0);
    put(count_, count + 1);  // last: the client may be killed before
  }

  // Notes the release of the hold that was added last.
  void note_release(std::uint64_t now_ns) {
    const std::uint64_t count = get(count_);
    // A hold that was left out is released, too, and changes nothing.
    if (count != 0 && get(holds_[count - 1].releasing_ns) == 0) {
      put(holds_[count - 1].releasing_ns, now_ns);
    }
  }

  void clear() { put(count_, 0); }

  // Appends the holds that were released. Of others, whose client was killed, nothing is certain.
  void append_to(std::vector<Take>& holds, std::uint32_t client) const {
    for (std::uint64_t i = 0; i < get(count_); ++i) {
      const Slot& slot = holds_[i];
      if (get(slot.releasing_ns) == 0) continue;
      const auto at = [](const Word& word) { return static_cast<std::int64_t>(get(word)); };
      holds.push_back({.thread = client,
                       .key = static_cast<std::uint32_t>(get(slot.key)),
                       .held = true,
                       .checked = false,  // others than the lock's fault may lose its update
                       .token = get(slot.token),
                       .requested = at(slot.requested_ns),
                       .answered = at(slot.acquired_ns),
                       .unlock_began = at(slot.releasing_ns),
                       .unlock_ended = at(slot.releasing_ns)});
    }
  }

 private:
  struct Slot {
    Word key;
    Word token;
    Word requested_ns;
    Word acquired_ns;
    Word releasing_ns;
  };
  Word count_;
  std::array<Slot, kMost> holds_;
};

// A time in which the service may forget holds: those requested before its end, and not released
// before it began.
struct Forgetting {
  std::int64_t from = 0;
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
};

// Nothing is certain of a hold from the beginning of such a time on.
std::vector<Take> certain_holds(std::vector<Take> holds,
                                const std::vector<Forgetting>& forgettings);

// How long after its request a hold is certain, if its lease lasts for so long; 0: as long as its
// connection. A client may have had its lease before it requested the key, and has renewed it so
// long ago that a third of it is left.
std::int64_t certain_ns(std::chrono::milliseconds lease);

struct MostHolders {
  Holders seen;
  Take last;  // the hold that was one too many, if there is an excess
};

// For each key that was held: the first holder that made its holders more than the capacity, and
// one of the others, if there was one. Ordered by keys.
std::vector<MostHolders> most_holders(const std::vector<Take>& holds, std::uint32_t capacity,
                                      std::int64_t certain_ns);

}  // namespace lockbench::stress::services
