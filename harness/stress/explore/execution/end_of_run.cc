// SPDX-License-Identifier: Apache-2.0

// The checks at the end of an execution: of the quiescent state, and of a stall.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include <absl/strings/str_cat.h>

#include "harness/stress/explore/execution/checked_run.h"
#include "harness/stress/explore/execution/execution_text.h"
#include "harness/stress/litmus/unused_key.h"
#include "harness/symbols/function_names.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {

namespace {

// `in Queue::unlock (queue.cc:71)`. Code of the lock is often inlined into a function of the
// harness: then the line alone says where it is.
std::string code_text(const void* code, ExecutionText* told) {
  const std::string name = short_function_name(function_at(code));
  const std::string line = told == nullptr ? "" : told->line_of(code);
  if (line.empty()) return absl::StrCat("in ", name);
  if (name.starts_with("lockbench::stress::")) return absl::StrCat("at ", line);
  return absl::StrCat("in ", name, " (", line, ")");
}

}  // namespace

using UntrackedScope = World::UntrackedScope;

void CheckedRun::close_trace(End end) {
  if (trace_ == nullptr) return;
  if (end == End::kFinished) trace_->end = Trace::kFinished;
  if (end == End::kFailed && !failure_) trace_->end = Trace::kUsedDeadWord;
  if (end != End::kStuck) return;
  trace_->end = Trace::kStuck;
  for (const ThreadRecord& thread : threads_) {
    if (thread.position.waits()) trace_->waits.push_back(thread.position.doing);
  }
}

void CheckedRun::check_quiescent_state() {
  const std::optional<std::size_t> kept = lock_->keys_kept();
  if (kept && entry_.abilities.reclaims) {
    const UntrackedScope untracked(world_);
    if (trace_ != nullptr) trace_->keys_kept = kept;
    check(KeysKept{.keys = *kept});
  }
  for (std::uint32_t key = 0; key < keys_.size(); ++key) {
    const std::uint32_t counted = entry_.abilities.numbers_holders() ? capacity_ : 0;
    for (std::uint32_t lease = 0; lease < counted; ++lease) {
      const std::uint64_t seen = data(key, lease).load(std::memory_order_relaxed);
      const UntrackedScope untracked(world_);
      check_data(Updates::kAtEnd, kNoThread, key, lease, seen);
    }
    check_free(key);
  }
}

class CheckedRun::UnusedKey {
 public:
  // Only the engine lets an operation fail spuriously, and few in an execution. One of these tries
  // is like the other.
  static constexpr int kTriesOfFreeKey = World::kMostSpurious + 1;

  UnusedKey(CheckedRun& run, std::uint32_t key) : run_(run), key_(key) {}

  // If tries fail one after the other, the first shows why. The others would hide what led to it.
  void refused() {
    run_.world_.log().stop();
    run_.world_.makes_progress();
  }

  // In a thread of its own, because the first thread goes on if all others are stuck.
  bool hold_all() {
    platform::Thread([this] { stress::hold_all(*run_.lock_, key_); }).join();
    lock_returns = !run_.world_.stuck();
    return *lock_returns;
  }
  std::unique_ptr<LockUnderTest> new_lock() { return run_.new_lock(); }
  static void let_time_pass() {
    constexpr platform::Duration kPause = std::chrono::milliseconds(1);
    platform::sleep_until(platform::now() + kPause);
  }

  std::optional<bool> lock_returns;

 private:
  CheckedRun& run_;
  const std::uint32_t key_;
};

void CheckedRun::check_free(std::uint32_t key) {
  const std::optional<bool> locked = lock_->handle(key)->is_locked();
  world_.log().start();
  UnusedKey unused(*this, key);
  const std::uint32_t free = holds_of_unused_key(*lock_, key, entry_.abilities.strong_try, unused);
  const UntrackedScope untracked(world_);
  if (locked && capacity_ == 1) {
    check(OwnerAnswer{.query = OwnerAnswer::kLocked, .key = key, .answer = *locked});
  }
  if (trace_ != nullptr && free != capacity_) trace_->shortage = {.key = key, .free = free};
  check(FreeKey{.key = key,
                .free = free,
                .capacity = capacity_,
                .lock_returns = unused.lock_returns,
                .refused = keys_[key].refused});
}

std::string CheckedRun::name_of_thread(std::uint32_t world_thread) const {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].world_thread == world_thread) return absl::StrCat("thread ", i);
  }
  return world_thread == 0 ? "the thread that starts the others" : "a thread of the lock's own";
}

Failure CheckedRun::failure_of(const DataRace& race, ExecutionText* told) const {
  const auto text = [&](std::uint32_t thread, bool writes, const void* code) {
    return absl::StrCat(name_of_thread(thread), writes ? " writes " : " reads ",
                        code_text(code, told));
  };
  if (!race.other) {
    return {Oracle::kOrdering,
            absl::StrCat("a data race: ", text(race.thread, true, race.access.code),
                         " what another thread accesses atomically, and nothing orders the two "
                         "accesses")};
  }
  const auto is_of_record = [](const void* code) {
    return function_at(code).find("GuardedRecord::") != std::string::npos;
  };
  if (is_of_record(race.access.code) && is_of_record(race.other_code)) {
    return {Oracle::kOrdering,
            absl::StrCat(name_of_thread(race.thread),
                         race.access.writes ? " holds to write" : " holds to read", ", and ",
                         name_of_thread(*race.other), race.other_writes ? " to write" : " to read",
                         ": nothing orders their holds, so that a reader may be inside beside a "
                         "writer, or read what is not yet written")};
  }
  return {
      Oracle::kOrdering,
      absl::StrCat("a data race: ", text(*race.other, race.other_writes, race.other_code),
                   ", then ", text(race.thread, race.access.writes, race.access.code),
                   ", and nothing orders the two accesses, ",
                   race.atomic ? "of which only the second is atomic" : "which are not atomic")};
}

Failure CheckedRun::crash(ExecutionText* told) const {
  const World::Crashed& crashed = world_.crashed();
  ProcessEnd end{.signal = crashed.signal};
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].world_thread == world_.thread() && world_.thread() != 0) end.thread = i;
  }
  const auto failure = check_all(end, [](Oracle, std::uint64_t) {});
  std::string text = text_of(*failure, "thread");
  if (crashed.code != nullptr) {
    absl::StrAppend(&text, ", ", code_text(crashed.code, told));
  }
  return {failure->oracle, std::move(text)};
}

std::optional<Failure> CheckedRun::verdict(End end) {
  close_trace(end);
  if (failure_) return failure_;
  if (end == End::kCrashed) return crash(nullptr);
  if (end == End::kFailed && !world_.memory_failure().empty()) {
    return Failure{Oracle::kLifetime, world_.memory_failure()};
  }
  if (end == End::kFailed && world_.data_race()) return failure_of(*world_.data_race(), nullptr);
  if (end == End::kFailed) {
    return Failure{Oracle::kLifetime, "a shared word is used after it was destroyed"};
  }
  evaluations_.count(Oracle::kLifetime);
  if (end == End::kFinished || end == End::kStuck) {
    check(Ended{.shows_independence = entry_.abilities.lock_per_key});
  }
  if (end == End::kTooLong && world_.runs_past_its_deadline()) {
    const std::vector<ThreadPosition> positions = positions_of_threads();
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i].world_thread == world_.thread() && positions[i].timed) {
        return unanswered(positions[i], positions);
      }
    }
  }
  if (end != End::kStuck) return std::nullopt;
  if (other_key_) {
    const auto failure = check_all(*other_key_, [](Oracle, std::uint64_t) {});
    return Failure{failure->oracle, text_of(*failure, "thread")};
  }
  const bool prepared = program_.is_prepared();
  return explain_stall(positions_of_threads(), entry_.abilities,
                       {.probe = probe_,
                        .contended = contended_ != 0,
                        .granted_keys = prepared ? std::nullopt : std::optional(granted_keys_)});
}

std::vector<ThreadPosition> CheckedRun::positions_of_threads() const {
  std::vector<ThreadPosition> positions;
  for (const ThreadRecord& thread : threads_) {
    positions.push_back(thread.position);
    if (thread.world_thread == 0) continue;
    positions.back().spins = world_.spins(thread.world_thread);
    const std::optional<std::uint32_t> owner = world_.owner_of_mutex_for(thread.world_thread);
    for (const ThreadRecord& other : threads_) {
      if (owner == other.world_thread) positions.back().awaits_mutex_of = other.position.thread;
    }
  }
  return positions;
}

// Finds out which keys are free after a stall. Only this thread runs, so that no waiting thread
// continues.
void CheckedRun::probe_keys() {
  constexpr std::uint32_t kMostKeys = 63;
  Probe probe{.free_keys = std::uint64_t{1} << kMostKeys, .untouched = kMostKeys};
  for (std::uint32_t key = 0; key < std::min<std::size_t>(keys_.size(), kMostKeys); ++key) {
    const std::unique_ptr<LockHandle> handle = lock_->handle(key);
    if (!acquire_free(*handle, tries_of_free_key(entry_.abilities.strong_try))) continue;
    probe.free_keys |= std::uint64_t{1} << key;
    handle->unlock();
  }
  probe_ = probe;
}

std::vector<TraceStep> CheckedRun::trace_of(World::Execution& execution, Failure& failure) const {
  ToldExecution told{.log = world_.log(),
                     .events = execution.events,
                     .arena = world_.arena(),
                     .lock = object_,
                     .waiting = {}};
  for (const ThreadRecord& thread : threads_) {
    const bool calls = thread.position.waits() || thread.position.doing.kind == Event::kRelease;
    const bool ended = failure_.has_value() || failure.oracle == Oracle::kLifetime;
    if (calls && !ended) told.waiting.push_back(thread.position.thread);
  }
  ExecutionText text(told);
  if (failure.oracle == Oracle::kOrdering && unordered_) {
    failure.what += text.why_unordered(*unordered_);
  }
  if (failure.oracle == Oracle::kLifetime) {
    const std::string misuse = text.misuse();
    if (!misuse.empty()) failure.what += ": " + misuse;
  }
  if (failure.oracle == Oracle::kOrdering && world_.data_race() && !failure_) {
    failure = failure_of(*world_.data_race(), &text);
  }
  if (failure.oracle == Oracle::kCrash && !failure_) failure = crash(&text);
  std::vector<TraceStep> steps = text.steps(failure.oracle);
  for (World::OldStore& old : execution.old_stores) old.name = text.word(old.word);
  return steps;
}

}  // namespace lockbench::stress::explore
