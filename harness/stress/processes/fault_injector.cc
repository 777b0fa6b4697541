// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/fault_injector.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "harness/stress/supervision/children.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t kMostHoldsOfALife = 64;

// A process is killed at one in 2 calls at a position where none was killed, and at one in 64 at a
// position where many were: so the rare ones, such as those of a recovery, get their share.
constexpr std::uint64_t kMostCallsPerFault = 64;
constexpr std::uint64_t kCallsPerHolderKilled = 16;

constexpr microseconds kCallWaits[] = {microseconds(100), microseconds(1000), microseconds(8000)};

constexpr std::size_t kLastFaultsKept = 4;

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
  const bool strikes =
      fault == FaultKind::kKill || fault == FaultKind::kStop || fault == FaultKind::kRecycle;
  if (!strikes) return;
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
  killed_a_waiter_ |= context_.state.slots[slot].events.now().kind == Event::kRequest;
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
  over_ = true;
  group_.calls().release_all();
  if (stopped_) group_.go_on(*stopped_);
  stopped_.reset();
}

void FaultInjector::pass_time(platform::Time end) {
  if (!watches_calls(context_.plan.fault())) {
    platform::sleep_until(end);
    return;
  }
  group_.calls().answer_until(end, [this](const WatchedCall& call) { return at_call(call); });
  if (group_.calls().error() != 0) injected_.call_error = group_.calls().error();
}

// Absent if the process does not make the call in lock() or unlock(): the checks around the lock
// make system calls, too.
const CallPosition* FaultInjector::position_of(const WatchedCall& call) {
  const RecentEvents& events = context_.state.slots[call.slot].events;
  const Event doing = events.now();
  if (doing.kind != Event::kRequest && doing.kind != Event::kRelease) return nullptr;
  CallHistory& history = histories_[call.slot];
  if (history.events != events.count()) history = {.events = events.count(), .position = {}};
  auto& [unlocks, numbers] = history.position;
  unlocks = doing.kind == Event::kRelease;
  numbers = {numbers[1], numbers[2], call.number};
  return &history.position;
}

CallWatch::Answer FaultInjector::at_call(const WatchedCall& call) {
  if (over_) return {};
  const bool kills =
      context_.plan.fault() == FaultKind::kKillInCall && platform::now() >= next_kill_;
  const CallPosition* const position = position_of(call);
  if (position == nullptr) {
    // A holder that dies makes the others reach the positions of a recovery.
    const bool dies = kills && random_.below(kCallsPerHolderKilled) == 0 && is_inside(call.slot);
    return dies ? kill_at(call) : CallWatch::Answer{};
  }
  FaultsAtCall& faults = injected_.at_calls[*position];
  if (kills && random_.below(std::min(2 + faults.killed, kMostCallsPerFault)) == 0) {
    describe(call, *position, "killed");
    ++faults.killed;
    return kill_at(call);
  }
  if (random_.below(std::min(3 + faults.held, kMostCallsPerFault)) != 0) return {};
  describe(call, *position, "held");
  ++faults.held;
  const microseconds longest = kCallWaits[random_.below(std::size(kCallWaits))];
  return {.wait = microseconds(1 + random_.below(static_cast<std::uint64_t>(longest.count())))};
}

CallWatch::Answer FaultInjector::kill_at(const WatchedCall& call) {
  kill(call.slot);
  next_kill_ = platform::now() + microseconds(random_.below(2000));
  return {.killed = true};
}

void FaultInjector::describe(const WatchedCall& call, const CallPosition& position,
                             const char* fault) {
  std::vector<std::string>& last = injected_.last_at_calls;
  if (last.size() == kLastFaultsKept) last.erase(last.begin());
  last.push_back(absl::StrCat("process ", call.slot, " was ", fault, " before ",
                              name_of_call(call.number), " in ",
                              position.unlocks ? "unlock()" : "lock()"));
}

void FaultInjector::refill_empty_slots() {
  for (std::uint32_t slot = 0; slot < context_.plan.processes; ++slot) {
    if (group_.alive(slot)) continue;
    group_.start(slot, 1 + random_.below(kMostHoldsOfALife));
    ++injected_.ended;
  }
}

}  // namespace lockbench::stress::processes
