// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/history.h"

#include <tuple>

namespace lockbench::stress {
namespace {

// The hold is over for other threads only when they can see that. After unlock() has returned, a
// processor may keep its store in a buffer for some time: usually less than 100 ns and never long,
// because it drains the buffer when its thread is interrupted.
constexpr std::int64_t kUntilVisibleNs = 20'000;

// Sorts the takes for which `belongs` is true by key, lease and `position`, and pairs each with the
// next one of the same key and lease.
template <class Belongs, class Position>
std::vector<History::Pair> successors(const std::vector<Take>& takes, const Belongs& belongs,
                                      const Position& position) {
  std::vector<const Take*> chosen;
  for (const Take& take : takes) {
    if (belongs(take)) chosen.push_back(&take);
  }
  const auto rank = [&](const Take* take) {
    return std::tuple(take->key, take->lease, position(*take));
  };
  std::sort(chosen.begin(), chosen.end(),
            [&](const Take* a, const Take* b) { return rank(a) < rank(b); });
  std::vector<History::Pair> pairs;
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    if (chosen[i - 1]->key != chosen[i]->key || chosen[i - 1]->lease != chosen[i]->lease) continue;
    pairs.emplace_back(chosen[i - 1], chosen[i]);
  }
  return pairs;
}

}  // namespace

History::History(std::vector<Take> takes, const HistoryRules& rules, std::int64_t complete_until)
    : takes_(std::move(takes)), rules_(rules) {
  holds_ = successors(
      takes_, [](const Take& take) { return take.held && take.checked; },
      [](const Take& take) { return take.update; });
  if (rules_.hold_limit_ns != 0) {
    limited_holds_ = successors(
        takes_, [&](const Take& take) { return take.held && take.answered < sure_until(take); },
        [](const Take& take) { return take.answered; });
  }
  if (rules_.strong_try) find_refusals(complete_until);
}

void History::Spans::sort() {
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
}

std::uint64_t History::Spans::during(std::int64_t begin, std::int64_t end) const {
  const auto begun = std::upper_bound(begins.begin(), begins.end(), end) - begins.begin();
  const auto over = std::lower_bound(ends.begin(), ends.end(), begin) - ends.begin();
  return static_cast<std::uint64_t>(begun - over);
}

void History::find_refusals(std::int64_t complete_until) {
  for (const Take& take : takes_) {
    Traffic& there = traffic_[lock_of(take)];
    if (take.held) {
      const std::int64_t unlocked = take.unlock_ended + kUntilVisibleNs;
      there.uses.add(take.requested, unlocked);
      there.calls.add(take.requested, take.answered);
      there.calls.add(take.unlock_began, unlocked);
      continue;
    }
    const std::int64_t refused = take.answered + kUntilVisibleNs;
    there.uses.add(take.requested, refused);
    there.calls.add(take.requested, refused);
    if (take.checked && take.answered < complete_until) refusals_.push_back(take);
  }
  for (auto& [key, there] : traffic_) {
    there.uses.sort();
    there.calls.sort();
  }
}

InTheWay History::in_the_way_of(const Take& take) const {
  const Traffic& there = traffic_.at(lock_of(take));
  // Each of these counts the take itself, too.
  return {.uses = there.uses.during(take.requested, take.answered) - 1,
          .calls = there.calls.during(take.requested, take.answered) - 1};
}

}  // namespace lockbench::stress
