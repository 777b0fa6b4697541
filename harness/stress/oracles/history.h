// SPDX-License-Identifier: Apache-2.0

// History: the takes of an epoch, each with its times. A lock can have served them one after the
// other if
//   - no two holds made the same update. The count that a key's holders keep orders its holds.
//   - no hold began before the hold that comes before it in this order was about to be released.
//   - another thread may have been in the way of each refusal at some moment of the call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace lockbench::stress {

// A call that asked for one key. Times are of one clock, in nanoseconds.
struct Take {
  std::uint32_t thread = 0;
  std::uint32_t key = 0;
  std::uint32_t lease = 0;
  bool held = false;         // else refused
  bool checked = true;       // a refusal that must have had a reason; or a hold with an update
  std::uint64_t update = 0;  // what the key's count was when the hold began
  std::uint64_t token = 0;   // where there are tokens and holds are limited
  std::int64_t asked = 0;
  std::int64_t answered = 0;
  std::int64_t giving = 0;  // of a hold: its unlock() was about to be called …
  std::int64_t gone = 0;    // … and had returned
};

struct HistoryRules {
  std::uint32_t capacity = 1;
  bool lock_per_key = false;  // else any key's takes may be in the way of any other's
  bool strong_try = false;    // a try_lock() that no thread is in the way of must succeed
  bool tokens = false;
  // A hold may be taken away when it is so long past the request; 0: none is. Then the threads
  // themselves check nothing of a hold: it is sure only until its limit, and its updates may be
  // overwritten.
  std::int64_t hold_limit_ns = 0;
};

class History {
 public:
  // Takes that were asked for from `complete_until` on may be missing.
  History(std::vector<Take> takes, const HistoryRules& rules,
          std::int64_t complete_until = std::numeric_limits<std::int64_t>::max());
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  using Pair = std::pair<const Take*, const Take*>;

  // Holds of one key and lease, each with the one that follows it by its update.
  const std::vector<Pair>& holds() const { return holds_; }

  // The same of holds that may be taken away, by the times at which they began; empty if no hold is
  // limited. A hold that was over its limit before its thread could look is not here.
  const std::vector<Pair>& limited_holds() const { return limited_holds_; }

  // Until when a limited hold is sure to be its thread's own.
  std::int64_t sure_until(const Take& take) const {
    return std::min(take.giving, take.asked + rules_.hold_limit_ns);
  }

  // Refusals that must have had a reason; empty if try_lock() may fail spuriously.
  const std::vector<Take>& refusals_to_explain() const { return refusals_; }

  // Other takes that may have been in the way of this one at some moment of its call.
  std::size_t others_near(const Take& take) const;

  const HistoryRules& rules() const { return rules_; }

 private:
  // When the takes that may be in each other's way began and ended.
  struct Traffic {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
  };

  std::uint32_t place(const Take& take) const { return rules_.lock_per_key ? take.key : 0; }
  void find_refusals(std::int64_t complete_until);

  const std::vector<Take> takes_;
  const HistoryRules rules_;
  std::vector<Pair> holds_;
  std::vector<Pair> limited_holds_;
  std::vector<Take> refusals_;
  std::map<std::uint32_t, Traffic> traffic_;
};

}  // namespace lockbench::stress
