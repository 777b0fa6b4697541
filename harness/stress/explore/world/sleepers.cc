// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/sleepers.h"

#include <algorithm>
#include <cstddef>

namespace lockbench::stress::explore {
namespace {

bool is_reached(const Sleep& sleep, const void* word, WakeChannels channels) {
  return sleep.word == word && (sleep.channels & channels) != 0;
}

}  // namespace

void Sleepers::remove(std::uint32_t thread) {
  std::erase_if(sleeps_, [=](const Sleep& sleep) { return sleep.thread == thread; });
}

void Sleepers::move(std::uint32_t thread, const void* to) {
  for (Sleep& sleep : sleeps_) {
    if (sleep.thread == thread) sleep.word = to;
  }
}

const Sleep* Sleepers::find(std::uint32_t thread) const {
  for (const Sleep& sleep : sleeps_) {
    if (sleep.thread == thread) return &sleep;
  }
  return nullptr;
}

std::optional<std::uint32_t> Sleepers::first_on(const void* word, WakeChannels channels) const {
  for (const Sleep& sleep : sleeps_) {
    if (is_reached(sleep, word, channels)) return sleep.thread;
  }
  return std::nullopt;
}

int Sleepers::count_on(const void* word, WakeChannels channels, int most) const {
  const auto sleep_there = std::count_if(sleeps_.begin(), sleeps_.end(), [=](const Sleep& sleep) {
    return is_reached(sleep, word, channels);
  });
  return static_cast<int>(std::min<std::ptrdiff_t>(sleep_there, most));
}

std::int64_t Sleepers::first_deadline_ns() const {
  std::int64_t first = SimulatedClock::kNever;
  for (const Sleep& sleep : sleeps_) first = std::min(first, sleep.deadline_ns);
  return first;
}

}  // namespace lockbench::stress::explore
