// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/fault_injector.h"

#include <algorithm>

#include "harness/stress/supervision/children.h"

namespace lockbench::stress::processes {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t kMostHoldsOfALife = 64;

}  // namespace

void FaultInjector::act() {
  count_recoveries();
  if (context_.plan.fault() == FaultKind::kChurn) refill_empty_slots();
  if (platform::now() < next_) return;
  if (stopped_) {
    let_all_go_on();
    next_ = platform::now() + microseconds(random_.below(3000));
    return;
  }
  inject_fault();
}

void FaultInjector::inject_fault() {
  const FaultKind fault = context_.plan.fault();
  if (fault == FaultKind::kNone || fault == FaultKind::kChurn) return;
  const std::optional<std::uint32_t> slot = victim();
  if (!slot) return;
  if (fault == FaultKind::kStop) {
    stop(*slot);
  } else {
    kill(*slot);
    next_ = platform::now() + microseconds(random_.below(6000));
  }
}

// Chooses a process to kill or stop, in most cases one that holds a key; absent if no process is
// suitable.
std::optional<std::uint32_t> FaultInjector::victim() {
  std::vector<std::uint32_t> slots = group_.living();
  if (context_.plan.fault() == FaultKind::kRecycle) {
    std::erase_if(slots, [&](std::uint32_t slot) {
      return !is_inside(slot) || !began_in_an_earlier_tick(group_.process(slot));
    });
  }
  if (slots.empty()) return std::nullopt;
  if (random_.below(4) != 0) {
    const auto inside =
        std::find_if(slots.begin(), slots.end(), [&](std::uint32_t s) { return is_inside(s); });
    if (inside != slots.end()) return *inside;
  }
  return slots[random_.below(slots.size())];
}

bool FaultInjector::is_inside(std::uint32_t slot) const {
  const std::uint64_t name =
      pack(OwnerName{.number = slot, .life = get(context_.state.slots[slot].life)});
  for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
    if (get(context_.state.canaries[key].owner) == name) return true;
  }
  return false;
}

void FaultInjector::kill(std::uint32_t slot) {
  const pid_t number = group_.process(slot);
  const std::uint64_t name =
      pack(OwnerName{.number = slot, .life = get(context_.state.slots[slot].life)});
  const std::uint64_t inside_before = injected_.killed_inside;
  group_.kill(slot);
  ++injected_.killed;
  note_deaths(name);
  group_.bury(slot);
  if (context_.plan.fault() == FaultKind::kRecycle && injected_.killed_inside != inside_before) {
    ++(group_.recycle(number) ? injected_.recycled : injected_.not_recycled);
  }
  group_.start(slot);
}

void FaultInjector::note_deaths(std::uint64_t name) {
  for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
    const OwnerCanary& canary = context_.state.canaries[key];
    if (get(canary.owner) != name) continue;
    ++injected_.killed_inside;
    std::erase_if(deaths_, [&](const Death& d) { return d.key == key; });
    if (somebody_wants(key)) deaths_.push_back({key, get(canary.grants), now_ns()});
  }
}

bool FaultInjector::somebody_wants(std::uint32_t key) const {
  const std::vector<std::uint32_t> slots = group_.living();
  return std::any_of(slots.begin(), slots.end(), [&](std::uint32_t slot) {
    const Event doing = context_.state.slots[slot].events.now();
    return doing.kind == Event::kRequest && doing.key == key;
  });
}

void FaultInjector::count_recoveries() {
  std::erase_if(deaths_, [&](const Death& death) {
    if (get(context_.state.canaries[death.key].grants) == death.grants) return false;
    injected_.recoveries_ns.push_back(now_ns() - death.died_ns);
    return true;
  });
}

void FaultInjector::stop(std::uint32_t slot) {
  group_.stop(slot);
  stopped_ = slot;
  ++injected_.stopped;
  injected_.stopped_inside += is_inside(slot);
  next_ = platform::now() + milliseconds(10 + random_.below(20));
}

void FaultInjector::let_all_go_on() {
  if (stopped_) group_.go_on(*stopped_);
  stopped_.reset();
}

void FaultInjector::refill_empty_slots() {
  for (std::uint32_t slot = 0; slot < context_.plan.processes; ++slot) {
    if (group_.alive(slot)) continue;
    group_.start(slot, 1 + random_.below(kMostHoldsOfALife));
    ++injected_.ended;
  }
}

}  // namespace lockbench::stress::processes
