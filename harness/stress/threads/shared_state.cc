// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/shared_state.h"

#include <algorithm>
#include <unistd.h>
#include <vector>

#include "harness/stress/oracles/stall.h"

namespace lockbench::stress::threads {
namespace {

ThreadPosition position_from(std::uint32_t thread, const PositionWords& words) {
  ThreadPosition position{.thread = thread, .doing = event_from(get(words.doing))};
  const std::uint64_t holds = std::min<std::uint64_t>(get(words.holds), kHoldsKept);
  for (std::size_t i = 0; i < holds; ++i) position.holds.push_back(event_from(get(words.held[i])));
  return position;
}

Failure explained_stall(const SharedState& state, const Abilities& abilities,
                        std::uint32_t untouched_key) {
  std::vector<ThreadPosition> positions;
  for (std::uint32_t i = 0; i < get(state.threads); ++i) {
    positions.push_back(position_from(i, state.stalled[i]));
  }
  StallFacts facts;
  if (get(state.probed) != 0) {
    facts.probe = Probe{.free_keys = get(state.free_keys), .untouched = untouched_key};
  }
  return explain_stall(positions, abilities, facts);
}

}  // namespace

void fail(SharedState& state, std::uint32_t thread, const FailureRecord& failure) {
  if (state.failure.note(thread, failure)) _exit(0);
  for (;;) pause();
}

Failure failure_in(const SharedState& state, const Abilities& abilities) {
  const FailureRecord failure = *state.failure.noted();
  const bool stall =
      failure.oracle == Oracle::kProgress && failure.facts.fault == oracles::Progress::kStall;
  if (stall) return explained_stall(state, abilities, failure.facts.key);
  return {failure.oracle, text_of(failure, "thread")};
}

}  // namespace lockbench::stress::threads
