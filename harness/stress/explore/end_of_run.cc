// SPDX-License-Identifier: Apache-2.0

// What the oracles say when an execution is over: of the state that is left, and of a stall.

#include <absl/strings/str_cat.h>

#include "harness/stress/explore/checked_run.h"

namespace lockbench::stress::explore {

using UntrackedScope = World::UntrackedScope;

void CheckedRun::close_trace(End end) {
  if (trace_ == nullptr) return;
  if (end == End::kFinished) trace_->end = Trace::kFinished;
  if (end == End::kFailed && !failure_) trace_->end = Trace::kUsedDeadWord;
  if (end != End::kStuck) return;
  trace_->end = Trace::kStuck;
  for (const ThreadBooks& thread : threads_) {
    if (thread.position.waits()) trace_->waits.push_back(thread.position.doing);
  }
}

void CheckedRun::check_quiescent_state() {
  const std::optional<std::size_t> kept = lock_->keys_kept();
  if (kept && entry_.abilities.reclaims) {
    const UntrackedScope untracked(world_);
    if (trace_ != nullptr) trace_->keys_kept = *kept;
    check(KeysKept{.keys = *kept});
  }
  for (std::uint32_t key = 0; key < keys_.size(); ++key) {
    for (std::uint32_t lease = 0; lease < capacity_; ++lease) {
      const std::uint64_t seen = data(key, lease).load(std::memory_order_relaxed);
      const UntrackedScope untracked(world_);
      check_data(Updates::kAtEnd, kNoThread, key, lease, seen);
    }
    check_free(key);
  }
}

void CheckedRun::check_free(std::uint32_t key) {
  const std::uint32_t free = free_holds(*lock_, key, entry_.abilities.strong_try);
  const UntrackedScope untracked(world_);
  if (trace_ != nullptr && free != capacity_) trace_->shortage = {.key = key, .free = free};
  check(FreeKey{.key = key, .free = free, .capacity = capacity_});
}

std::optional<Failure> CheckedRun::verdict(End end) {
  close_trace(end);
  if (failure_) return failure_;
  if (end == End::kFailed && !world_.memory_failure().empty()) {
    return Failure{Oracle::kLifetime, world_.memory_failure()};
  }
  if (end == End::kFailed) {
    return Failure{Oracle::kLifetime, absl::StrCat("word ", world_.memory().dead_word().value_or(0),
                                                   " was used after the end of its life")};
  }
  evaluations_.count(Oracle::kLifetime);
  if (end == End::kFinished || end == End::kStuck) {
    check(Ended{.shows_independence = entry_.abilities.lock_per_key});
  }
  if (end != End::kStuck) return std::nullopt;
  std::vector<ThreadPosition> positions;
  for (const ThreadBooks& thread : threads_) positions.push_back(thread.position);
  return explain_stall(positions, entry_.abilities, {.contended = contended_ != 0});
}

}  // namespace lockbench::stress::explore
