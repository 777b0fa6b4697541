// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/holds.h"

#include <algorithm>
#include <tuple>

namespace lockbench::stress::services {
namespace {

// A server counts leases by a clock that may be set, and in milliseconds.
constexpr std::int64_t kClockSlackNs = 10'000'000;

std::int64_t end_of(const Take& hold, std::int64_t certain_ns) {
  return std::min(hold.unlock_began, hold.requested + certain_ns);
}

}  // namespace

std::vector<Take> certain_holds(std::vector<Take> holds,
                                const std::vector<Forgetting>& forgettings) {
  for (Take& hold : holds) {
    for (const Forgetting& time : forgettings) {
      if (hold.requested > time.to || hold.unlock_began < time.from) continue;
      hold.unlock_began = std::min(hold.unlock_began, time.from);
    }
  }
  std::erase_if(holds, [](const Take& hold) { return hold.answered >= hold.unlock_began; });
  return holds;
}

std::int64_t certain_ns(std::chrono::milliseconds lease) {
  // Long enough for any epoch, and sums of it and of a time are numbers.
  if (lease.count() == 0) return std::numeric_limits<std::int64_t>::max() / 2;
  return std::max<std::int64_t>(std::chrono::nanoseconds(lease).count() / 3 - kClockSlackNs, 1);
}

std::vector<MostHolders> most_holders(const std::vector<Take>& holds, std::uint32_t capacity,
                                      std::int64_t certain_ns) {
  std::vector<const Take*> ordered;
  for (const Take& hold : holds) {
    if (hold.answered < end_of(hold, certain_ns)) ordered.push_back(&hold);
  }
  std::sort(ordered.begin(), ordered.end(), [](const Take* a, const Take* b) {
    return std::tuple(a->key, a->answered) < std::tuple(b->key, b->answered);
  });
  std::vector<MostHolders> most;
  std::vector<const Take*> now;  // that hold the key
  for (const Take* hold : ordered) {
    if (most.empty() || most.back().seen.key != hold->key) {
      now.clear();
      most.push_back({.seen = {.thread = hold->thread, .key = hold->key}, .last = *hold});
    }
    std::erase_if(now,
                  [&](const Take* other) { return end_of(*other, certain_ns) <= hold->answered; });
    now.push_back(hold);
    if (now.size() <= capacity || most.back().seen.excess) continue;
    most.back() = {.seen = {.thread = hold->thread,
                            .key = hold->key,
                            .excess = OtherHolder{.thread = now.front()->thread}},
                   .last = *hold};
  }
  return most;
}

}  // namespace lockbench::stress::services
