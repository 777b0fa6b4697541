// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/strategies.h"

#include <algorithm>
#include <bit>
#include <random>

#include "harness/stress/explore/memory/vector_clock.h"

namespace lockbench::stress::explore {
namespace {

constexpr std::uint64_t kTimeSlot = 2 * kMaxThreads;
constexpr std::uint64_t kSpuriousSlots = kTimeSlot + 1;
constexpr std::uint64_t kArriveSlots = kSpuriousSlots + kMaxThreads;
constexpr std::uint64_t kReadSlots = kArriveSlots + kMaxThreads;
constexpr std::uint64_t kPositionSlots = kReadSlots + 256;

std::uint64_t slot_of(const Option& option) {
  switch (option.kind) {
    case Option::kRun:
      return option.thread;
    case Option::kFlush:
      return kMaxThreads + option.thread;
    case Option::kSpurious:
      return kSpuriousSlots + option.thread;
    case Option::kArrive:
      return kArriveSlots + option.thread;
    case Option::kRead:
      return kReadSlots + option.thread;
    case Option::kPosition:
      return kPositionSlots + option.thread;
    case Option::kTime:
    case Option::kSettle:
      break;
  }
  return kTimeSlot;
}

// Combines the state of the memory with what only the scheduler knows: which threads may run.
std::uint64_t key_of(const Point& point) {
  std::uint64_t key = point.state ^ (point.may_go_on ? point.running + 1 : 0);
  for (const Option& option : point.options) {
    key = (key ^ slot_of(option)) * 0x9e3779b97f4a7c15ULL;
    key ^= key >> 32;
  }
  return key;
}

// True if the point decides if an operation fails or returns spuriously. If so, the second option
// is that it does, and the first that it does not.
bool may_be_spurious(const Point& point) {
  return point.options.back().kind == Option::kSpurious;
}

// One of this many possible spurious events happens.
constexpr std::uint64_t kSpuriousOneIn = 8;

// True if the point decides which store is used or when stores become visible. If so, the first
// option is what would happen on a machine without these choices.
bool is_of_stores(const Point& point) {
  const Option::Kind kind = point.options.front().kind;
  return kind == Option::kRead || kind == Option::kPosition || kind == Option::kArrive;
}

// The number of 16 choices of a store that may take a store other than the last.
std::uint32_t draw_old(Random& random) {
  constexpr std::uint32_t kOld[] = {1, 4, 8};
  return kOld[random() % std::size(kOld)];
}

std::size_t choose_store(const Point& point, std::uint32_t old_in_16, Random& random) {
  if (random() % 16 >= old_in_16) return 0;
  return random() % point.options.size();
}

// Bit i: option i is a store other than the last.
std::uint64_t old_of(const Point& point) {
  std::uint64_t old = 0;
  for (std::size_t i = 1; i < point.options.size(); ++i) {
    const Option::Kind kind = point.options[i].kind;
    if (kind == Option::kRead || kind == Option::kPosition) old |= std::uint64_t{1} << i;
  }
  return old;
}

// Bit i: option i preempts a thread that could have continued.
std::uint64_t preempts_of(const Point& point) {
  bool someone_can_run = false;
  for (const Option& option : point.options) {
    someone_can_run |= option.kind == Option::kRun && !point.all_paused;
  }
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < point.options.size(); ++i) {
    const Option& option = point.options[i];
    const bool preempts =
        option.kind == Option::kRun && point.may_go_on && option.thread != point.running;
    const bool hurries = option.kind == Option::kTime && someone_can_run;
    if (preempts || hurries || option.kind == Option::kSpurious) result |= std::uint64_t{1} << i;
  }
  return result;
}

}  // namespace

std::size_t DepthFirst::choose(const Point& point) {
  if (position_ < path_.size()) {
    const Decision& decision = path_[position_++];
    if (decision.state != point.state) {
      diverged_ = true;
      return kLeave;
    }
    return decision.chosen;
  }
  Spent used;
  if (!path_.empty()) {
    const Decision& last = path_.back();
    used = last.used;
    used.preemptions += last.preempts >> last.chosen & 1;
    used.old += last.old >> last.chosen & 1;
  }
  const std::uint64_t key = key_of(point);
  const auto seen = seen_.find(key);
  if (seen != seen_.end()) {
    if (seen->second.covers(used)) return kLeave;
    seen->second = used;
  } else if (seen_.size() < kMostStates) {
    seen_.emplace(key, used);
  }

  const std::uint64_t preempts = preempts_of(point);
  const std::uint64_t old = old_of(point);
  std::uint64_t allowed = (std::uint64_t{1} << point.options.size()) - 1;
  if (used.preemptions == bound_.preemptions) allowed &= ~preempts;
  if (used.old == bound_.old) allowed &= ~old;
  if (allowed == 0) return kLeave;
  const auto chosen = static_cast<std::uint32_t>(std::countr_zero(allowed));
  path_.push_back({allowed, point.state, chosen, used, preempts, old});
  ++position_;
  return chosen;
}

void DepthFirst::next() {
  position_ = 0;
  while (!path_.empty()) {
    Decision& last = path_.back();
    last.allowed &= last.allowed - 1;  // removes the one that was chosen
    if (last.allowed != 0) {
      last.chosen = static_cast<std::uint32_t>(std::countr_zero(last.allowed));
      return;
    }
    path_.pop_back();
  }
  exhausted_ = true;
}

Pct::Pct(std::uint64_t seed, std::uint32_t changes, std::uint64_t steps)
    : random_(seed), priorities_(kTimeSlot + 1), old_in_16_(draw_old(random_)) {
  std::uniform_int_distribution<std::uint64_t> step(1, std::max<std::uint64_t>(steps, 1));
  for (std::uint32_t i = 0; i < changes; ++i) changes_.push_back(step(random_));
  // In most executions time passes only when no thread can run; in some it passes early.
  priorities_[kTimeSlot] =
      random_() % 4 == 0 ? static_cast<std::int64_t>(random_() >> 2) : --lowest_;
}

std::int64_t& Pct::priority_of(const Option& option) {
  std::int64_t& priority = priorities_[slot_of(option)];
  if (priority == 0) priority = static_cast<std::int64_t>(random_() >> 2) + 1;
  return priority;
}

void Pct::paused(std::uint32_t thread) {
  priorities_[thread] = --lowest_;
}

std::size_t Pct::choose(const Point& point) {
  if (may_be_spurious(point)) return random_() % kSpuriousOneIn == 0 ? 1 : 0;
  if (is_of_stores(point)) return choose_store(point, old_in_16_, random_);
  const auto due = [&](std::uint64_t step) { return step <= point.step; };
  if (point.may_go_on && std::erase_if(changes_, due) != 0) {
    priorities_[point.running] = --lowest_;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < point.options.size(); ++i) {
    if (priority_of(point.options[i]) > priority_of(point.options[best])) best = i;
  }
  // An option that always wins may starve the thread that it waits for.
  if (point.options[best].kind == Option::kTime) priorities_[kTimeSlot] = --lowest_;
  return best;
}

PartialOrderSampling::PartialOrderSampling(std::uint64_t seed)
    : random_(seed), priorities_(kTimeSlot + 1), old_in_16_(draw_old(random_)) {}

std::uint64_t& PartialOrderSampling::priority_of(const Option& option) {
  std::uint64_t& priority = priorities_[slot_of(option)];
  // Time mostly passes only when no thread can run.
  if (priority == 0) priority = option.kind == Option::kTime ? 1 + random_() / 16 : random_() | 1;
  return priority;
}

std::size_t PartialOrderSampling::choose(const Point& point) {
  if (may_be_spurious(point)) return random_() % kSpuriousOneIn == 0 ? 1 : 0;
  if (is_of_stores(point)) return choose_store(point, old_in_16_, random_);
  std::size_t best = 0;
  for (std::size_t i = 1; i < point.options.size(); ++i) {
    if (priority_of(point.options[i]) > priority_of(point.options[best])) best = i;
  }
  const Option& chosen = point.options[best];
  priority_of(chosen) = 0;
  if (chosen.kind != Option::kRun || point.next[chosen.thread] == nullptr) return best;
  for (std::size_t i = 0; i < point.next.size(); ++i) {
    if (point.next[i] == point.next[chosen.thread]) priorities_[i] = 0;
  }
  return best;
}

RandomWalk::RandomWalk(std::uint64_t seed) : random_(seed) {
  constexpr std::uint32_t kStays[] = {0, 8, 14, 15};
  stay_in_16_ = kStays[random_() % std::size(kStays)];
  old_in_16_ = draw_old(random_);
}

std::size_t RandomWalk::choose(const Point& point) {
  if (may_be_spurious(point)) return random_() % kSpuriousOneIn == 0 ? 1 : 0;
  if (is_of_stores(point)) return choose_store(point, old_in_16_, random_);
  if (point.may_go_on && random_() % 16 < stay_in_16_) return 0;
  std::size_t count = point.options.size();
  const bool time = point.options.back().kind == Option::kTime;
  if (time && random_() % 16 != 0) --count;
  return random_() % count;
}

ScheduleReplay::ScheduleReplay(std::vector<Option> schedule)
    : schedule_(std::move(schedule)),
      restless_(std::find(schedule_.begin(), schedule_.end(), Option{Option::kSettle}) !=
                schedule_.end()) {}

std::size_t ScheduleReplay::choose(const Point& point) {
  while (position_ != schedule_.size() && schedule_[position_].kind == Option::kSettle) {
    restless_ = false;
    ++position_;
  }
  if (position_ == schedule_.size()) return 0;
  const auto found = std::find(point.options.begin(), point.options.end(), schedule_[position_]);
  ++position_;
  if (found == point.options.end()) return 0;
  ++followed_;
  return static_cast<std::size_t>(found - point.options.begin());
}

}  // namespace lockbench::stress::explore
