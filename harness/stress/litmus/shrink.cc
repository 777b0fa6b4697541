// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/shrink.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "harness/stress/litmus/served.h"

namespace lockbench::stress {
namespace {

// Removes the act at `position`; if it acquires, also removes the release that belongs to it.
std::vector<Act> without_act(std::vector<Act> acts, std::size_t position) {
  const auto at = [&acts](std::size_t i) { return acts.begin() + static_cast<std::ptrdiff_t>(i); };
  if (acquires(acts[position].kind)) acts.erase(at(end_of_hold(acts, position)));
  acts.erase(at(position));
  return acts;
}

// Simpler acts that may replace the act. The program may still show the failure with one of them.
std::vector<Act> plainer(const Act& act) {
  switch (act.kind) {
    case Act::kLockBoth:
      if (act.key == act.other) return {{.kind = Act::kLock, .key = act.key}};
      return {{.kind = Act::kLock, .key = act.key}, {.kind = Act::kLock, .key = act.other}};
    case Act::kTryBoth:
      return {{.kind = Act::kTryLock, .key = act.key},
              {.kind = Act::kTryLock, .key = act.other},
              {.kind = Act::kLockBoth, .key = act.key, .other = act.other}};
    case Act::kTryLock:
    case Act::kTryLockFor:
      return {{.kind = Act::kLock, .key = act.key}};
    case Act::kUnlockThrowing:
      return {{.kind = Act::kUnlock}};
    default:
      return {};
  }
}

bool names_key(const Act& act) {
  return acquires(act.kind) || act.kind == Act::kUnlockByNonOwner;
}

// The same program with its keys replaced by 0, 1, … in the same order. Of a lock for readers and
// writers, those of the readers are replaced by 1, 2, …
LitmusProgram with_lowest_keys(LitmusProgram program, const Abilities& abilities) {
  std::set<std::uint32_t> keys;
  if (abilities.keys_read) keys.insert(kWritersKey);
  for (const auto& acts : program.threads) {
    for (const Act& act : acts) {
      if (names_key(act)) keys.insert(act.key);
      if (names_two_keys(act.kind)) keys.insert(act.other);
    }
  }
  const auto lowest = [&](std::uint32_t key) {
    return static_cast<std::uint32_t>(std::distance(keys.begin(), keys.find(key)));
  };
  for (auto& acts : program.threads) {
    for (Act& act : acts) {
      if (names_key(act)) act.key = lowest(act.key);
      if (names_two_keys(act.kind)) act.other = lowest(act.other);
    }
  }
  return program;
}

void add_without_heading(const LitmusProgram& program, std::vector<SmallerProgram>& smaller) {
  if (program.key_set != 0) {
    smaller.push_back({program});
    smaller.back().program.key_set = 0;
  }
  if (program.warm_up != 0) {
    smaller.push_back({program});
    smaller.back().program.warm_up = 0;
  }
  if (program.refusals != 0) {
    smaller.push_back({program});
    smaller.back().program.refusals = 0;
  }
  if (program.other_keys != 0) {
    smaller.push_back({program});
    smaller.back().program.other_keys = 0;
  }
  if (program.nest != 0) {
    smaller.push_back({program});
    smaller.back().program.nest = 0;
  }
  if (program.polls != 0) {
    smaller.push_back({program});
    smaller.back().program.polls = 0;
  }
}

// Once; with the same keys each time; less often; among fewer keys.
void add_with_fewer_passes(const LitmusProgram& program, std::vector<SmallerProgram>& smaller) {
  if (program.repeats != 0) {
    smaller.push_back({program});
    smaller.back().program.repeats = 0;
    smaller.back().program.spread = 0;
  }
  if (program.spread != 0) {
    smaller.push_back({program});
    smaller.back().program.spread = 0;
  }
  for (const std::uint32_t part : {2, 8}) {
    const std::uint32_t fewer = program.repeats - program.repeats / part;
    if (fewer < 2 || fewer == program.repeats) continue;
    smaller.push_back({program});
    smaller.back().program.repeats = fewer;
  }
  if (program.spread / 2 > program.named_keys()) {
    smaller.push_back({program});
    smaller.back().program.spread = program.spread / 2;
  }
}

void add_without_acts(const LitmusProgram& program, std::vector<SmallerProgram>& smaller) {
  const bool alone = program.threads.size() == 1;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    for (std::size_t i = 0; i < program.threads[t].size(); ++i) {
      if (releases(program.threads[t][i].kind)) continue;
      if (program.threads[t][i].kind == Act::kLeaveForGood) continue;
      if (program.threads[t][i].kind == Act::kMakeAgain) continue;  // all threads have one
      LitmusProgram without = program;
      without.threads[t] = without_act(program.threads[t], i);
      if (!alone || !without.threads[t].empty()) smaller.push_back({std::move(without)});
    }
  }
}

// Without the last point at which the lock is made again, in all threads.
void add_with_fewer_locks(const LitmusProgram& program, std::vector<SmallerProgram>& smaller) {
  if (!program.has(Act::kMakeAgain)) return;
  LitmusProgram fewer = program;
  for (auto& acts : fewer.threads) {
    const auto last = std::find_if(acts.rbegin(), acts.rend(),
                                   [](const Act& act) { return act.kind == Act::kMakeAgain; });
    acts.erase(std::next(last).base());
  }
  smaller.push_back({std::move(fewer)});
}

void add_with_plainer_acts(const LitmusProgram& program, std::vector<SmallerProgram>& smaller) {
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    for (std::size_t i = 0; i < program.threads[t].size(); ++i) {
      for (const Act& act : plainer(program.threads[t][i])) {
        smaller.push_back({program});
        smaller.back().program.threads[t][i] = act;
      }
    }
  }
}

}  // namespace

std::vector<SmallerProgram> smaller_programs(const LitmusProgram& program,
                                             const Abilities& abilities) {
  std::vector<SmallerProgram> smaller;
  add_without_heading(program, smaller);
  add_with_fewer_passes(program, smaller);
  for (std::size_t t = 0; program.threads.size() > 1 && t < program.threads.size(); ++t) {
    smaller.push_back({without_thread(program, t), t});
  }
  add_without_acts(program, smaller);
  add_with_fewer_locks(program, smaller);
  add_with_plainer_acts(program, smaller);
  LitmusProgram lowest = with_lowest_keys(program, abilities);
  if (lowest != program) smaller.push_back({std::move(lowest)});
  std::erase_if(smaller, [&](const SmallerProgram& one) {
    return !unserved_in(one.program, abilities).empty();
  });
  return smaller;
}

LitmusProgram without_thread(const LitmusProgram& program, std::size_t thread) {
  LitmusProgram without = program;
  without.threads.erase(without.threads.begin() + static_cast<std::ptrdiff_t>(thread));
  for (auto& acts : without.threads) {
    std::erase_if(acts,
                  [&](const Act& act) { return act.kind == Act::kAwaitEnd && act.key == thread; });
    for (Act& act : acts) {
      if (act.kind == Act::kAwaitEnd && act.key > thread) --act.key;
    }
  }
  return without;
}

}  // namespace lockbench::stress
