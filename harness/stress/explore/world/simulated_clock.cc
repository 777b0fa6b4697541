// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/simulated_clock.h"

#include <algorithm>
#include <utility>

namespace lockbench::stress::explore {

void SimulatedClock::reset() {
  now_ns_ = before_ns_ = kStartNs;
  calls_.fill({});
  any_call_ = false;
}

void SimulatedClock::expect_answer(std::uint32_t thread, std::int64_t due_ns) {
  calls_[thread] = {.due_ns = due_ns, .timeout_ns = due_ns - now_ns_};
  any_call_ = true;
}

bool SimulatedClock::expects_any_answer() const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [](const Call& call) { return call.due_ns != kNever; });
}

std::int64_t SimulatedClock::read(std::uint32_t thread) {
  Call& call = calls_[thread];
  if (call.due_ns != kNever && call.timeout_ns != 0) {
    call.due_ns = std::max(call.due_ns, now_ns_ + std::exchange(call.timeout_ns, 0));
    call.spare_ns = 0;
  }
  return now_ns_;
}

bool SimulatedClock::any_overdue() const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [&](const Call& call) { return call.latest_ns() <= now_ns_; });
}

bool SimulatedClock::any_due_later(bool with_spare) const {
  if (!any_call_) return false;
  return std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) {
    const std::int64_t due_ns = with_spare ? call.latest_ns() : call.due_ns;
    return due_ns != kNever && due_ns > now_ns_;
  });
}

std::int64_t SimulatedClock::next_due_ns() const {
  std::int64_t next = kNever;
  for (const Call& call : calls_) {
    if (call.latest_ns() <= now_ns_) continue;
    next = std::min(next, call.due_ns > now_ns_ ? call.due_ns : call.latest_ns());
  }
  return next;
}

std::int64_t SimulatedClock::last_before_due_ns(std::uint32_t thread) const {
  const std::int64_t due_ns = calls_[thread].due_ns;
  return due_ns != kNever && due_ns - 1 > now_ns_ ? due_ns - 1 : kNever;
}

void SimulatedClock::advance(std::int64_t moment_ns) {
  before_ns_ = std::exchange(now_ns_, std::max(now_ns_, moment_ns));
}

void SimulatedClock::add_overdue(std::uint32_t thread) {
  Call& call = calls_[thread];
  if (call.latest_ns() <= before_ns_) call.overdue_ns += now_ns_ - before_ns_;
}

void SimulatedClock::add_spare(std::uint32_t thread) {
  Call& call = calls_[thread];
  if (call.due_ns != kNever) call.spare_ns += now_ns_ - before_ns_;
}

bool SimulatedClock::became_due(std::uint32_t thread) const {
  const std::int64_t due_ns = calls_[thread].due_ns;
  return due_ns > before_ns_ && due_ns <= now_ns_;
}

}  // namespace lockbench::stress::explore
