// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/shrink.h"

#include <cstddef>
#include <utility>

namespace lockbench::stress {
namespace {

// Without the act at `position`; if it acquires, without the release that belongs to it, too.
std::vector<Act> without_act(std::vector<Act> acts, std::size_t position) {
  const auto at = [&acts](std::size_t i) { return acts.begin() + static_cast<std::ptrdiff_t>(i); };
  if (acquires(acts[position].kind)) acts.erase(at(end_of_hold(acts, position)));
  acts.erase(at(position));
  return acts;
}

}  // namespace

std::vector<LitmusProgram> smaller_programs(const LitmusProgram& program) {
  std::vector<LitmusProgram> smaller;
  if (program.key_set != 0) {
    smaller.push_back(program);
    smaller.back().key_set = 0;
  }
  if (program.warm_up != 0) {
    smaller.push_back(program);
    smaller.back().warm_up = 0;
  }
  const bool alone = program.threads.size() == 1;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    if (!alone) smaller.push_back(without_thread(program, t));
    for (std::size_t i = 0; i < program.threads[t].size(); ++i) {
      if (releases(program.threads[t][i].kind)) continue;
      LitmusProgram without = program;
      without.threads[t] = without_act(program.threads[t], i);
      if (!alone || !without.threads[t].empty()) smaller.push_back(std::move(without));
    }
  }
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
