// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/program_source.h"

#include <algorithm>

#include "harness/petri/conformance/net_program.h"
#include "harness/stress/litmus/generate.h"

namespace lockbench::stress {
namespace {

bool awaits(const LitmusProgram& program) {
  return std::any_of(program.threads.begin(), program.threads.end(), [](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(),
                       [](const Act& act) { return act.kind == Act::kAwaitEnd; });
  });
}

}  // namespace

ProgramSource::ProgramSource(const RegisteredLock& entry, const WatchedNet& net, const KeyMap& keys)
    : abilities_(entry.abilities),
      net_(net),
      keys_(keys),
      known_(programs_for(entry.abilities, entry.programs)) {
  std::erase_if(known_, [&](const LitmusProgram& program) {
    return awaits(program) || !fits(net, keys, program);
  });
}

LitmusProgram ProgramSource::next(std::mt19937_64& random) {
  const std::size_t turn = turn_++;
  return turn % 2 == 1 || known_.empty() ? drawn(random) : known_[turn / 2 % known_.size()];
}

LitmusProgram ProgramSource::drawn(std::mt19937_64& random) const {
  const std::uint32_t threads =
      net_.threads() == 1 ? 1 : static_cast<std::uint32_t>(2 + random() % (net_.threads() - 1));
  const auto rounds = static_cast<std::uint32_t>(1 + random() % 4);
  return generate_program(net_, keys_, abilities_, threads, rounds, random);
}

std::size_t RunPlan::acts() const {
  std::size_t acts = 1;
  for (const std::vector<Act>& thread : program.threads) acts += thread.size();
  return acts * passes + program.threads.size();
}

std::uint32_t passes_for(const LitmusProgram& program, const RunLength& length) {
  std::size_t acts = 1;
  for (const std::vector<Act>& thread : program.threads) acts += thread.size();
  return std::clamp(static_cast<std::uint32_t>(length.acts / acts), 1U, length.most_passes);
}

}  // namespace lockbench::stress
