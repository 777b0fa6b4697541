// SPDX-License-Identifier: Apache-2.0

// History: the takes of an epoch, each with its times. A take is a call that requests one key. A
// lock can have served the takes one after the other if
//   - no two holds made the same update; the count that the holders of a key keep gives the order
//     of its holds;
//   - no hold began before its predecessor in this order was about to be released;
//   - for each refusal, another thread may have been in the way at some moment of the call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress {

// A call that requested one key. All times come from one clock, in nanoseconds.
struct Take {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  bool held = false;         // otherwise refused
  bool checked = true;       // a hold with an update, or a refusal that needs a reason
  std::uint64_t update = 0;  // the key's count at the beginning of the hold
  std::uint64_t token = 0;   // only if there are tokens and a hold limit
  std::int64_t requested = 0;
  std::int64_t answered = 0;
  std::int64_t unlock_began = 0;  // for a hold: just before its unlock() was called
  std::int64_t unlock_ended = 0;  // for a hold: just after its unlock() had returned
};

struct HistoryRules {
  std::uint32_t capacity = 1;
  bool lock_per_key = false;  // otherwise the takes of any two keys may conflict
  bool strong_try = false;    // try_lock() must succeed if no other thread is in the way
  bool tokens = false;
  // A hold may be taken away this long after its request; 0: never. If there is such a limit, the
  // threads themselves check nothing: a hold excludes others for certain only until its limit, and
  // its updates may be overwritten.
  std::int64_t hold_limit_ns = 0;
};

class History {
 public:
  // Takes that were requested at `complete_until` or later may be missing.
  History(std::vector<Take> takes, const HistoryRules& rules,
          std::int64_t complete_until = std::numeric_limits<std::int64_t>::max());
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  using Pair = std::pair<const Take*, const Take*>;

  // Pairs of holds of one key and lease: each hold with the one that follows it by the number of
  // its update.
  const std::vector<Pair>& holds() const { return holds_; }

  // The same for holds that can expire, ordered by the times at which they began. Empty if there is
  // no hold limit. Holds that had already expired when their thread saw them are left out.
  const std::vector<Pair>& limited_holds() const { return limited_holds_; }

  // The time until which an expiring hold certainly belongs to its thread.
  std::int64_t sure_until(const Take& take) const {
    return std::min(take.unlock_began, take.requested + rules_.hold_limit_ns);
  }

  // Refusals that need a reason; empty if try_lock() may fail spuriously.
  const std::vector<Take>& refusals_to_explain() const { return refusals_; }

  // The other takes, and their calls, that may have been in the way of this one at some moment of
  // its call.
  InTheWay in_the_way_of(const Take& take) const;

  const HistoryRules& rules() const { return rules_; }

 private:
  // Spans of time, of which begins and ends are sorted.
  struct Spans {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;

    void add(std::int64_t begin, std::int64_t end) {
      begins.push_back(begin);
      ends.push_back(end);
    }
    void sort();
    // How many overlap with this one.
    std::uint64_t during(std::int64_t begin, std::int64_t end) const;
  };

  // All takes that may be in each other's way, and their calls.
  struct Traffic {
    Spans uses;
    Spans calls;
  };

  std::uint32_t lock_of(const Take& take) const { return rules_.lock_per_key ? take.key : 0; }
  void find_refusals(std::int64_t complete_until);

  const std::vector<Take> takes_;
  const HistoryRules rules_;
  std::vector<Pair> holds_;
  std::vector<Pair> limited_holds_;
  std::vector<Take> refusals_;
  std::map<std::uint32_t, Traffic> traffic_;
};

}  // namespace lockbench::stress
