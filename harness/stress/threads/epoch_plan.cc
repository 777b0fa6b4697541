// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/epoch_plan.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/keys.h"
#include "harness/stress/threads/shared_state.h"
#include "workloads/random.h"

namespace lockbench::stress::threads {
namespace {

constexpr std::uint32_t kHoldsOfAList = 32;
constexpr std::uint32_t kMostHoldsBeforeMeeting = 6;
constexpr std::int64_t kLongHoldNs = 30'000'000;
constexpr std::int64_t kDwellNs = 700;
constexpr std::uint32_t kDeepNest = 300;  // too deep for a counter of 8 bits

// Adapts generated acts, which are made for virtual time, so that native threads can perform them
// many times in an epoch.
class Shape {
 public:
  Shape(const Abilities& abilities, FaultKind fault, Random& random)
      : abilities_(abilities), fault_(fault), random_(random) {}

  std::vector<Act> of(const std::vector<Act>& acts) const {
    std::vector<Act> shaped;
    for (Act act : acts) {
      if (act.kind == Act::kSleep) act.ns = shorter(act.ns);
      if (act.kind == Act::kTryLockFor && random_.below(2) == 0) act.ns = shorter(act.ns);
      if (acquires(act.kind) && abilities_.refuses_non_owners && random_.below(8) == 0) {
        shaped.push_back({.kind = Act::kUnlockByNonOwner, .key = act.key});
      }
      shaped.push_back(act);
      if (acquires(act.kind)) dwell(shaped);
    }
    return shaped;
  }

 private:
  // Shortens most sleeps. One in 64 keeps its length.
  std::int64_t shorter(std::int64_t ns) const { return random_.below(64) == 0 ? ns : ns / part_; }

  // Adds a sleep to a hold. Other threads meet a hold that lasts longer than the time until the
  // next one.
  void dwell(std::vector<Act>& acts) const {
    if (fault_ == FaultKind::kLongHolds && random_.below(8) == 0) {
      acts.push_back({.kind = Act::kSleep, .ns = kLongHoldNs});
    } else if (dwells_) {
      acts.push_back({.kind = Act::kSleep, .ns = kDwellNs});
    }
  }

  const Abilities& abilities_;
  const FaultKind fault_;
  Random& random_;
  const std::int64_t part_ = random_.below(2) == 0 ? 1000 : 100;
  const bool dwells_ = random_.below(2) == 0;
};

// As deep as the lock can be nested, if it limits that.
std::vector<Act> deep_nest(std::uint32_t limit) {
  const std::size_t depth = within<std::size_t>(kDeepNest, limit);
  std::vector<Act> acts(depth, {.kind = Act::kLock});
  acts.insert(acts.end(), depth, {.kind = Act::kUnlock});
  return acts;
}

LitmusProgram drawn(const RegisteredLock& entry, const EpochPlan& plan, std::uint32_t threads,
                    Random& random) {
  const auto holds = static_cast<std::uint32_t>(
      plan.barriers ? 1 + random.below(kMostHoldsBeforeMeeting) : kHoldsOfAList);
  LitmusProgram program = generate_program(
      entry.abilities, {.threads = threads, .keys = plan.keys, .holds = holds}, random.next());
  const Shape shape(entry.abilities, plan.mode.fault, random);
  for (auto& acts : program.threads) acts = shape.of(acts);
  if (entry.abilities.reentrant && random.below(4) == 0) {
    const std::vector<Act> nest = deep_nest(entry.abilities.depth);
    program.threads.front().insert(program.threads.front().end(), nest.begin(), nest.end());
  }
  return program;
}

// All threads request one key, hold it for a short time and request it again at once.
LitmusProgram contest(std::uint32_t threads) {
  const std::vector<Act> acts = {
      {.kind = Act::kLock}, {.kind = Act::kSleep, .ns = 1000}, {.kind = Act::kUnlock}};
  return {.threads = std::vector<std::vector<Act>>(threads, acts)};
}

// True if a thread of the program has an act that can be done only once.
bool cannot_be_repeated(const LitmusProgram& program) {
  return program.has(Act::kAwaitEnd) || program.has(Act::kLeaveForGood);
}

// Threads that repeat their acts have no end that another could wait for. Instead it goes on after
// a time in which the other thread has probably performed its acts.
LitmusProgram with_rests_for_awaits(LitmusProgram program) {
  constexpr std::int64_t kAwaitNs = 100'000;
  for (std::vector<Act>& acts : program.threads) {
    for (Act& act : acts) {
      if (act.kind == Act::kAwaitEnd) act = {.kind = Act::kSleep, .ns = kAwaitNs};
    }
  }
  return program;
}

bool has(const LitmusProgram& program, Act::Kind kind) {
  return std::any_of(program.threads.begin(), program.threads.end(), [&](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(), [&](const Act& act) { return act.kind == kind; });
  });
}

// A native holder that sleeps for as long as the patience of the stall detector would be taken for
// a stalled thread.
LitmusProgram with_short_sleeps(LitmusProgram program) {
  for (std::vector<Act>& acts : program.threads) {
    for (Act& act : acts) {
      if (act.kind == Act::kSleep) act.ns = std::min(act.ns, kLongHoldNs);
    }
  }
  return program;
}

// A written program that can be repeated, or nothing, so that the caller generates one. In half of
// the cases this is one of the lock's own programs in the registry, if it has any; in a quarter any
// written program.
std::optional<LitmusProgram> written(const RegisteredLock& entry, Random& random) {
  std::vector<LitmusProgram> programs = programs_for(entry.abilities, entry.programs);
  for (LitmusProgram& program : programs) program = with_rests_for_awaits(std::move(program));
  const std::size_t own = entry.programs.size();
  const std::uint64_t share = random.below(4);
  if (own != 0 && share < 2) {
    LitmusProgram program = programs[random.below(own)];
    if (!cannot_be_repeated(program)) return program;
  }
  std::erase_if(programs, cannot_be_repeated);
  if (share == 2) return with_short_sleeps(programs[random.below(programs.size())]);
  return std::nullopt;
}

// A short written program for two threads. Threads enter the windows of a lock if its calls begin
// at the same time and little else is done. `L0 U | L0 U` is as likely as all others together; for
// a lock with timeouts, half of its share is that of the same with a timeout.
LitmusProgram two_thread_collision(const RegisteredLock& entry, Random& random) {
  std::vector<LitmusProgram> programs = programs_for(entry.abilities, entry.programs);
  const LitmusProgram simplest = *program_from("L0 U | L0 U", 2);
  std::erase_if(programs, [](const LitmusProgram& program) {
    return cannot_be_repeated(program) || has(program, Act::kSleep) || program.threads.size() != 2;
  });
  const std::uint64_t share = random.below(4);
  if (share == 0 && entry.abilities.timed) return *program_from("L0 U | W0:400000 U", 2);
  return share < 2 ? simplest : programs[random.below(programs.size())];
}

// The program with that many threads, or as many as the lock has room for. The lists of acts are
// repeated for the additional threads.
LitmusProgram with_threads(LitmusProgram program, std::uint32_t threads, const Abilities& can) {
  const std::size_t lists = program.threads.size();
  for (std::size_t i = lists; i < threads; ++i)
    program.threads.push_back(program.threads[i % lists]);
  while (program.threads.size() > lists && !excess_of(program, can).empty())
    program.threads.pop_back();
  return program;
}

// How many other keys a thread acquires while another one holds a key. A table of locks that keeps
// only some of its entries may throw out one that is in use; one with few slots must serve all of
// them.
std::uint32_t other_keys_for(const Abilities& can, Random& random) {
  constexpr std::uint32_t kManyKeys[] = {5, 72, 1'100, 20'000};
  const std::uint32_t drawn = kManyKeys[random.below(std::size(kManyKeys))];
  return std::min(drawn, most_other_keys(can));
}

// A lock may have slots for 16 or 64 threads, and no more, without saying so.
std::uint32_t threads_for(const LockLimits& limits, const Mode& mode, const Wish& wish,
                          Random& random) {
  std::uint32_t threads = wish.threads;
  if (mode.fault == FaultKind::kOversubscription) {
    const std::uint32_t numbers[] = {2 * wish.threads, 4 * wish.processors, 20, 72};
    threads = std::max(2 * wish.threads, numbers[random.below(std::size(numbers))]);
  }
  return within(std::clamp(threads, 1U, kMostThreads), limits.threads);
}

std::chrono::milliseconds length_for(const Mode& mode, Random& random) {
  switch (mode.fault) {
    case FaultKind::kFairness:
      return std::chrono::milliseconds(400);
    case FaultKind::kLongHolds:
      return std::chrono::milliseconds(100);
    default:
      return std::chrono::milliseconds(20 + random.below(81));
  }
}

}  // namespace

std::uint64_t epoch_seed(std::uint64_t seed, std::uint64_t epoch) {
  return epoch == 0 ? seed : derive_seed(seed, epoch);
}

EpochPlan plan_epoch(const RegisteredLock& entry, const Wish& wish, const Mode& mode,
                     std::uint64_t seed) {
  constexpr std::uint32_t kKeys[] = {1, 2, 3, 6};
  Random random(seed);
  EpochPlan plan{.mode = mode, .seed = seed};
  plan.length = length_for(mode, random);
  plan.yields = mode.fault == FaultKind::kYields || (mode.may_yield && random.below(2) == 0);
  plan.barriers = mode.fault == FaultKind::kCollisions ||
                  (mode.fault != FaultKind::kFairness && random.below(2) == 0);
  plan.keys = kKeys[random.below(std::size(kKeys))];
  const std::uint32_t threads = threads_for(entry.abilities.limits, mode, wish, random);
  if (wish.program) {
    plan.program = *wish.program;
  } else if (mode.fault == FaultKind::kFairness) {
    plan.program = contest(threads);
  } else if (mode.fault == FaultKind::kCollisions ||
             (mode.fault == FaultKind::kAccessDelays && random.below(2) == 0)) {
    plan.program = two_thread_collision(entry, random);
  } else if (std::optional<LitmusProgram> program = written(entry, random)) {
    plan.program = with_threads(*std::move(program), threads, entry.abilities);
  } else {
    plan.program = drawn(entry, plan, threads, random);
  }
  // The preparation of a program is done to the first lock only, and tokens begin anew with each.
  const bool prepared = plan.program.is_prepared();
  plan.renews = plan.barriers && !prepared && !entry.abilities.tokens && random.below(3) == 0;
  // A counter of acquisitions or refusals with 8 or 16 bits, signed or unsigned, or with 20 bits,
  // overflows during the epoch.
  constexpr std::uint32_t kEdges[] = {120, 250, 32'760, 65'530};
  constexpr std::uint32_t kEdgeOf20Bits = 1'048'570;
  const bool one_lock = !wish.program && !plan.renews;
  const bool warms_up = one_lock && mode.fault != FaultKind::kFairness && random.below(4) == 0;
  if (warms_up) {
    const Abilities& can = entry.abilities;
    const bool by_refusals =
        can.capacity == 1 && can.hold_limit.count() == 0 && random.below(2) == 0;
    if (by_refusals) {
      plan.program.refusals = kEdges[random.below(std::size(kEdges))];
    } else {
      plan.program.warm_up =
          random.below(2) == 0 ? kEdgeOf20Bits : kEdges[random.below(std::size(kEdges))];
    }
  }
  const bool many_keys = entry.abilities.lock_per_key &&
                         (entry.abilities.any_key || entry.abilities.limits.keys_below != 0);
  if (one_lock && many_keys && random.below(4) == 0) {
    plan.program.other_keys = other_keys_for(entry.abilities, random);
  }
  // So is a count of 8, 10 or 16 bits.
  constexpr std::uint32_t kDeep = 65'537;
  if (one_lock && entry.abilities.reentrant && random.below(4) == 0) {
    plan.program.nest = within(kDeep, entry.abilities.depth);
  }
  if (!wish.program && entry.abilities.any_key && random.below(2) == 0) {
    plan.program.key_set = kKeySets[random.below(std::size(kKeySets))];
    if (!excess_of(plan.program, entry.abilities).empty()) plan.program.key_set = 0;
  }
  // Locks that two of a few keys do not have in common, two of many may.
  constexpr std::uint32_t kSpread = 48;
  if (!wish.program && entry.abilities.any_key && mode.fault != FaultKind::kFairness &&
      random.below(8) == 0) {
    plan.program.spread = kSpread;
    if (!excess_of(plan.program, entry.abilities).empty()) plan.program.spread = 0;
  }
  // A timeout may end at any moment of the calls of other threads.
  plan.short_timeouts = !wish.program && entry.abilities.timed && random.below(2) == 0;
  plan.keys = plan.program.keys();
  return plan;
}

}  // namespace lockbench::stress::threads
