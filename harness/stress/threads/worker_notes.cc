// SPDX-License-Identifier: Apache-2.0

// What a worker tells of itself while it works, and what it notes down for the judgement.

#include <algorithm>
#include <utility>

#include "harness/stress/supervision/task_state.h"
#include "harness/stress/threads/worker.h"

namespace lockbench::stress::threads {
namespace {

// Waits below that are not worth asking the kernel what they were spent on.
constexpr std::uint64_t kLongWaitNs = 10'000'000;
constexpr std::uint32_t kTakesBetweenLooks = 256;

}  // namespace

void Worker::tell(Deed::What what, const Act& act, std::uint32_t lease, std::int64_t ns) {
  const std::uint64_t deed = pack({.what = what,
                                   .kind = act.kind,
                                   .key = static_cast<std::uint16_t>(act.key),
                                   .other = static_cast<std::uint16_t>(act.other),
                                   .lease = static_cast<std::uint16_t>(lease)});
  if (what == Deed::kHas && holds_.size() < kHoldsTold) {
    put(line_.standing.held[holds_.size()], deed);
  }
  if (what == Deed::kHas) put(line_.standing.holds, holds_.size() + 1);
  put(line_.standing.doing, deed);
  const std::uint64_t events = get(line_.events);
  EventWords& event = line_.last[events % kEventsTold];
  put(event.ns, static_cast<std::uint64_t>(ns));
  put(event.deed, deed);
  put(line_.events, events + 1);
}

std::size_t Worker::note(const Take& take) {
  if (takes_.size() < most_notes_) {
    takes_.push_back(take);
    return takes_.size() - 1;
  }
  complete_until_ = std::min(complete_until_, take.asked);
  return kNotNoted;
}

void Worker::waited(std::int64_t ns, std::uint32_t key) {
  const auto wait = static_cast<std::uint64_t>(ns);
  raise(line_.longest_wait_ns, wait);
  if (context_.plan.mode.fault != FaultKind::kFairness) return;
  count(Oracle::kFairness);
  const std::uint64_t starved = wait > kLongWaitNs ? wait - std::min(wait, delay_since_look()) : 0;
  if (++takes_since_look_ == kTakesBetweenLooks) delay_since_look();
  if (starved <= get(line_.starved_ns)) return;
  put(line_.starved_ns, starved);
  put(line_.starved_grants, get(context_.watch(key, 0).grants) - grants_before_ - 1);
  put(line_.starved_key, key);
  put(line_.starved_seed, context_.plan.seed);
}

// How long the scheduler kept this thread waiting since the last look: the wait that has just ended
// had no more of that than so much.
std::uint64_t Worker::delay_since_look() {
  takes_since_look_ = 0;
  const std::uint64_t before = std::exchange(delay_ns_, own_delay_ns());
  return delay_ns_ - before;
}

bool Worker::somebody_is_in_the_way(std::uint32_t key) const {
  const bool any = !context_.entry.abilities.lock_per_key;
  for (std::uint32_t i = any ? 0 : key; i < (any ? context_.plan.keys : key + 1); ++i) {
    const std::uint64_t owner = get(context_.watch(i, 0).owner) & ~kGaveBack;
    if (owner != kNobody && owner != name_) return true;
  }
  return false;
}

}  // namespace lockbench::stress::threads
