// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/memory/sc_order.h"

namespace lockbench::stress::explore {

std::uint32_t ScOrder::add(const ScSet& before) {
  const std::uint32_t added = count_++;
  after_[added] = {};
  before.for_each([&](std::uint32_t event) { after_[event].add(added); });
  return added;
}

void ScOrder::order(const ScSet& before, const ScSet& after) {
  before.for_each([&](std::uint32_t event) { after_[event] |= after; });
}

bool ScOrder::reaches(const ScSet& from, const ScSet& to) const {
  ScSet seen = from;
  ScSet fresh = from;
  while (!fresh.empty()) {
    if (fresh.meets(to)) return true;
    ScSet next;
    fresh.for_each([&](std::uint32_t event) { next |= after_[event]; });
    fresh = next.without(seen);
    seen |= next;
  }
  return false;
}

}  // namespace lockbench::stress::explore
