// SPDX-License-Identifier: Apache-2.0

// The part of CheckedThread that records what the thread does.

#include <algorithm>
#include <utility>

#include "harness/stress/oracles/fairness.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/threads/checked_thread.h"

namespace lockbench::stress::threads {
namespace {

// For a shorter wait, a call to the kernel for the thread's scheduling delay is not worth its time.
constexpr std::uint64_t kLongWaitNs = 10'000'000;
constexpr std::uint32_t kAcquisitionsBetweenChecks = 256;

}  // namespace

void CheckedThread::record(const Event& event, std::int64_t ns) {
  if (event.kind == Event::kAcquire) {
    if (holds_ < kHoldsKept) put(slot_.position.held[holds_], pack(event));
    put(slot_.position.holds, holds_ + 1);
  }
  put(slot_.position.doing, pack(event));
  slot_.events.record(event, static_cast<std::uint64_t>(ns));
}

std::size_t CheckedThread::keep(const Take& take) {
  if (takes_.size() < most_records_) {
    takes_.push_back(take);
    return takes_.size() - 1;
  }
  complete_until_ = std::min(complete_until_, take.requested);
  return kNotKept;
}

void CheckedThread::waited(std::int64_t ns, std::uint32_t key) {
  const auto wait = static_cast<std::uint64_t>(ns);
  raise(slot_.longest_wait_ns, wait);
  if (context_.plan.mode.fault != FaultKind::kFairness) return;
  const bool fair = context_.entry.abilities.fair;
  if (fair) slot_.count(Oracle::kFairness);
  const std::uint64_t starved = wait > kLongWaitNs ? wait - std::min(wait, delay_since_look()) : 0;
  if (++acquisitions_since_check_ == kAcquisitionsBetweenChecks) delay_since_look();
  if (starved == 0) return;
  const std::uint64_t grants = grants_of(key) - grants_before_;
  const LongestWait seen{.thread = number_,
                         .key = key,
                         .waited_ns = starved,
                         .grants = grants - std::min<std::uint64_t>(grants, 1)};  // without its own
  if (fair) check(seen);
  const LongestWait worst{.waited_ns = get(slot_.starved_ns), .grants = get(slot_.starved_grants)};
  if (!oracles::Fairness::worse(seen, worst)) return;
  put(slot_.starved_ns, starved);
  put(slot_.starved_grants, seen.grants);
  put(slot_.starved_key, key);
  put(slot_.starved_seed, context_.plan.seed);
}

// How often the key was granted so far. If no holder has a number of its own, no word of the key
// can be counted in, so all acquisitions of all threads count: in this mode they are of one key.
std::uint64_t CheckedThread::grants_of(std::uint32_t key) const {
  if (context_.plan.mode.fault != FaultKind::kFairness) return 0;
  std::uint64_t grants = 0;
  if (!may_be_taken_away() && context_.entry.abilities.numbers_holders()) {
    for (std::uint32_t lease = 0; lease < context_.capacity; ++lease) {
      grants += get(context_.canary(key, lease).grants);
    }
    return grants;
  }
  for (const ThreadSlot& slot : context_.state.slots) grants += get(slot.acquisitions);
  return grants;
}

// How long the scheduler has kept this thread waiting for a processor since the last call. This is
// an upper bound for the scheduler's part of the wait that has just ended.
std::uint64_t CheckedThread::delay_since_look() {
  acquisitions_since_check_ = 0;
  const std::uint64_t before = std::exchange(delay_ns_, own_delay_ns());
  return delay_ns_ - before;
}

bool CheckedThread::key_is_held_by_another(std::uint32_t key) const {
  const bool any = !context_.entry.abilities.lock_per_key;
  for (std::uint32_t i = any ? 0 : key; i < (any ? context_.plan.keys : key + 1); ++i) {
    const std::uint64_t owner = get(context_.canary(i, 0).owner) & ~kPartReleased;
    if (owner != kNobody && owner != name_) return true;
  }
  return false;
}

}  // namespace lockbench::stress::threads
