// SPDX-License-Identifier: Apache-2.0

// What the oracles say when an execution is over: of what is left, and of a standstill.

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/stress/explore/checked_run.h"

namespace lockbench::stress::explore {
namespace {

using UntrackedScope = World::UntrackedScope;

}  // namespace

// ---- for the trace

void CheckedRun::trace_event(Deed::Kind kind, std::uint32_t number, const Act& act,
                             std::uint32_t lease) {
  if (trace_ == nullptr) return;
  trace_->deeds.push_back({.kind = kind, .thread = number, .keys = keys_of(act), .lease = lease});
}

void CheckedRun::tell_of_late_holders(const std::vector<std::uint32_t>& keys) {
  if (trace_ == nullptr) return;
  for (const std::uint32_t key : keys) {
    for (const Holder& holder : keys_[key].holders) {
      if (!late(holder.since_ns)) continue;
      trace_->deeds.push_back(
          {.kind = Deed::kExpires, .thread = holder.thread, .keys = {key}, .lease = holder.lease});
    }
  }
}

void CheckedRun::close_trace(End end) {
  if (trace_ == nullptr) return;
  if (end == End::kFinished) trace_->end = Trace::kAllGone;
  if (end == End::kFailed && !failure_) trace_->end = Trace::kGoneUsed;
  if (end != End::kStuck) return;
  trace_->end = Trace::kStill;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (!threads_[i].taking) continue;
    trace_->waits.push_back({.thread = i, .keys = keys_of(*threads_[i].act)});
  }
}

// ---- when everybody has gone

void CheckedRun::look_at_the_end() {
  const std::optional<std::size_t> kept = lock_->keys_kept();
  if (kept && entry_.abilities.reclaims && trace_ != nullptr) {
    const UntrackedScope untracked(world_);
    trace_->keys_kept = *kept;
  }
  if (kept && entry_.abilities.reclaims) {
    const UntrackedScope untracked(world_);
    evaluations_.count(Oracle::kResidue);
    if (*kept != 0) {
      fail(Oracle::kResidue,
           absl::StrCat("something is kept for ", *kept, " keys that nobody uses"));
    }
  }
  for (std::uint32_t key = 0; key < keys_.size(); ++key) {
    for (std::uint32_t lease = 0; lease < capacity_; ++lease) {
      const std::uint64_t seen = data(key, lease).load(std::memory_order_relaxed);
      const UntrackedScope untracked(world_);
      check_data(0, key, {.lease = lease}, seen);
    }
    check_free(key);
  }
}

void CheckedRun::check_free(std::uint32_t key) {
  std::vector<std::unique_ptr<LockHandle>> handles;
  for (std::uint32_t i = 0; i < capacity_; ++i) {
    handles.push_back(lock_->handle(key));
    const bool free = handles.back()->try_lock();
    const UntrackedScope untracked(world_);
    evaluations_.count(Oracle::kResidue);
    if (!free) {
      if (trace_ != nullptr) trace_->shortage = {.key = key, .free = i};
      fail(Oracle::kResidue, absl::StrCat("key ", key, " is not free though everybody has gone (",
                                          i, " of ", capacity_, " could be had)"));
    }
  }
  for (auto& handle : handles) handle->unlock();
}

// ---- judgement

void CheckedRun::fail(Oracle oracle, std::string what) {
  failure_ = Failure{oracle, std::move(what)};
  world_.fail();
}

std::optional<Failure> CheckedRun::verdict(End end) {
  close_trace(end);
  if (failure_) return failure_;
  if (end == End::kFailed) {
    return Failure{Oracle::kLifetime, absl::StrCat("word ", world_.memory().dead_word().value_or(0),
                                                   " was used when its life was over")};
  }
  evaluations_.count(Oracle::kLifetime);
  if (end == End::kFinished || end == End::kStuck) {
    evaluations_.count(Oracle::kProgress);
    evaluations_.count(Oracle::kCycle);
    if (entry_.abilities.lock_per_key) evaluations_.count(Oracle::kIndependence);
  }
  if (end == End::kStuck) return stuck();
  return std::nullopt;
}

bool CheckedRun::holds(std::uint32_t number, std::uint32_t key) const {
  return std::any_of(threads_[number].holds.begin(), threads_[number].holds.end(),
                     [&](const Hold& hold) { return hold.act->key == key; });
}

// Whoever takes two keys at once may have got one of them.
bool CheckedRun::may_hold_what_is_wanted(std::uint32_t other, const Act& wanted) const {
  const auto meets = [&](const Act& act) {
    if (!entry_.abilities.lock_per_key) return true;
    for (const std::uint32_t a : keys_of(act)) {
      for (const std::uint32_t b : keys_of(wanted)) {
        if (a == b) return true;
      }
    }
    return false;
  };
  const ThreadBooks& books = threads_[other];
  if (books.taking && books.act->kind == Act::kLockBoth && meets(*books.act)) return true;
  return std::any_of(books.holds.begin(), books.holds.end(),
                     [&](const Hold& hold) { return meets(*hold.act); });
}

// Threads of which each waits for what the next may hold and the last for the first; empty if there
// are none such.
std::vector<std::uint32_t> CheckedRun::circle() const {
  const auto count = static_cast<std::uint32_t>(threads_.size());
  for (std::uint32_t first = 0; first < count; ++first) {
    std::vector<std::uint32_t> path{first};
    while (threads_[path.back()].taking) {
      std::uint32_t next = count;
      for (std::uint32_t other = 0; other < count; ++other) {
        const bool self = other == path.back();
        const bool stuck = threads_[other].taking;
        if (!self && stuck && may_hold_what_is_wanted(other, *threads_[path.back()].act))
          next = other;
      }
      if (next == count) break;
      const auto known = std::find(path.begin(), path.end(), next);
      if (known != path.end()) return {known, path.end()};
      path.push_back(next);
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const ThreadBooks& books = threads_[i];
    const bool others_ended = std::all_of(threads_.begin(), threads_.end(), [&](const auto& other) {
      return &other == &books || other.ended;
    });
    const bool alone = others_ended && contended_ == 0;
    const bool asks_twice = entry_.abilities.nests_leases && !books.holds.empty();
    if (books.taking && (alone || asks_twice) && may_hold_what_is_wanted(i, *books.act)) return {i};
  }
  return {};
}

std::string CheckedRun::doing(std::uint32_t number) const {
  const ThreadBooks& books = threads_[number];
  std::string text = absl::StrCat("thread ", number);
  if (books.taking) {
    absl::StrAppend(&text, " waits for ", name_of_keys(*books.act));
  } else if (books.ended) {
    return text + " has ended";
  } else if (books.act != nullptr && releases(books.act->kind)) {
    text += " is giving back";
  } else if (books.act != nullptr && books.act->kind == Act::kAwaitEnd) {
    absl::StrAppend(&text, " awaits thread ", books.act->key);
  }
  for (const Hold& hold : books.holds) absl::StrAppend(&text, ", holds ", name_of_keys(*hold.act));
  return text;
}

// Whether somebody who awaits another's end holds a key that a thread waits for: that one waits for
// what is left of the key, not for another key.
bool CheckedRun::awaits_its_own_key() const {
  return std::any_of(threads_.begin(), threads_.end(), [&](const ThreadBooks& awaiting) {
    if (awaiting.ended || awaiting.act == nullptr || awaiting.act->kind != Act::kAwaitEnd)
      return false;
    return std::any_of(threads_.begin(), threads_.end(), [&](const ThreadBooks& waiting) {
      return waiting.taking &&
             std::any_of(awaiting.holds.begin(), awaiting.holds.end(),
                         [&](const Hold& hold) { return hold.act->key == waiting.act->key; });
    });
  });
}

Failure CheckedRun::stuck() const {
  std::string all;
  bool awaiting = false;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    absl::StrAppend(&all, i == 0 ? "" : "; ", doing(i));
    const Act* const act = threads_[i].act;
    awaiting |= !threads_[i].ended && act != nullptr && act->kind == Act::kAwaitEnd;
  }
  if (awaiting && !awaits_its_own_key()) {
    return {Oracle::kIndependence, absl::StrCat("a key waits for another key: ", all)};
  }
  const std::vector<std::uint32_t> threads = circle();
  if (threads.empty()) {
    return {Oracle::kProgress,
            absl::StrCat("nobody can ever run again, with nobody in the way: ", all)};
  }
  std::string text = "threads wait in a circle:";
  for (const std::uint32_t thread : threads) absl::StrAppend(&text, " ", doing(thread), ";");
  absl::StrAppend(&text, " and so back to thread ", threads.front());
  return {Oracle::kCycle, std::move(text)};
}

}  // namespace lockbench::stress::explore
