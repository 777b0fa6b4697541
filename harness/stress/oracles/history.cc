// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/history.h"

#include <tuple>

namespace lockbench::stress {
namespace {

// The hold is over for other threads only when they can see that. After unlock() has returned, a
// processor may keep its store in a buffer for some time: usually less than 100 ns and never long,
// because it drains the buffer when its thread is interrupted.
constexpr std::int64_t kUntilVisibleNs = 20'000;

std::int64_t end_of(const Take& take) {
  return (take.held ? take.unlock_ended : take.answered) + kUntilVisibleNs;
}

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

void History::find_refusals(std::int64_t complete_until) {
  for (const Take& take : takes_) {
    Traffic& there = traffic_[place(take)];
    there.begins.push_back(take.requested);
    there.ends.push_back(end_of(take));
    if (take.held || !take.checked || take.answered >= complete_until) continue;
    refusals_.push_back(take);
  }
  for (auto& [key, there] : traffic_) {
    std::sort(there.begins.begin(), there.begins.end());
    std::sort(there.ends.begin(), there.ends.end());
  }
}

std::size_t History::others_near(const Take& take) const {
  const Traffic& there = traffic_.at(place(take));
  const auto begun = std::upper_bound(there.begins.begin(), there.begins.end(), take.answered) -
                     there.begins.begin();
  const auto over =
      std::lower_bound(there.ends.begin(), there.ends.end(), take.requested) - there.ends.begin();
  return static_cast<std::size_t>(begun - over) - 1;
}

}  // namespace lockbench::stress
