// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/history.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockbench::stress::threads {
namespace {

// A hold is over for others when they can see it. A processor may keep the store of an unlock() to
// itself for a while after the call has returned: usually less than 100 ns, and never for long,
// since it gives everything away when its thread is interrupted.
constexpr std::int64_t kUntilVisibleNs = 20'000;

std::int64_t end_of(const Take& take) {
  return (take.held ? take.gone : take.answered) + kUntilVisibleNs;
}

std::optional<FailureRecord> clash(const Take& before, const Take& after) {
  FailureRecord failure{.oracle = Oracle::kModel,
                        .fault = FailureRecord::kOutOfOrder,
                        .thread = after.thread,
                        .other = before.thread,
                        .key = after.key,
                        .x = after.update};
  if (before.update == after.update) {
    failure.oracle = Oracle::kConservation;
    failure.fault = FailureRecord::kSameUpdate;
    return failure;
  }
  if (before.update + 1 == after.update && after.answered < before.giving) return failure;
  return std::nullopt;
}

std::optional<FailureRecord> holds_out_of_order(const History& history, Evaluations& evaluations) {
  std::vector<const Take*> holds;
  for (const Take& take : history.takes) {
    if (take.held && take.checked) holds.push_back(&take);
  }
  const auto place = [](const Take* take) {
    return std::tuple(take->key, take->lease, take->update);
  };
  std::sort(holds.begin(), holds.end(),
            [&](const Take* a, const Take* b) { return place(a) < place(b); });
  for (std::size_t i = 1; i < holds.size(); ++i) {
    const Take& before = *holds[i - 1];
    const Take& after = *holds[i];
    if (before.key != after.key || before.lease != after.lease) continue;
    evaluations.count(Oracle::kModel);
    if (auto failure = clash(before, after)) return failure;
  }
  return std::nullopt;
}

// Until when a limited hold is sure to be its thread's own.
std::int64_t sure_until(const Take& take, const Rules& rules) {
  return std::min(take.giving, take.asked + rules.hold_limit_ns);
}

// Holds that may be taken away are each sure from the answer until the release or the limit, and
// no two of those that are sure of one key and lease overlap.
std::optional<FailureRecord> limited_holds_overlap(const History& history, const Rules& rules,
                                                   Evaluations& evaluations) {
  std::vector<const Take*> sure;
  for (const Take& take : history.takes) {
    if (take.held && take.answered < sure_until(take, rules)) sure.push_back(&take);
  }
  const auto place = [](const Take* take) {
    return std::tuple(take->key, take->lease, take->answered);
  };
  std::sort(sure.begin(), sure.end(),
            [&](const Take* a, const Take* b) { return place(a) < place(b); });
  for (std::size_t i = 1; i < sure.size(); ++i) {
    const Take& before = *sure[i - 1];
    const Take& after = *sure[i];
    if (before.key != after.key || before.lease != after.lease) continue;
    FailureRecord failure{.oracle = Oracle::kExclusion,
                          .fault = FailureRecord::kTwoInside,
                          .thread = after.thread,
                          .other = before.thread,
                          .key = after.key,
                          .lease = after.lease};
    evaluations.count(Oracle::kExclusion);
    if (after.answered < sure_until(before, rules)) return failure;
    if (!rules.tokens) continue;
    evaluations.count(Oracle::kToken);
    if (after.token > before.token) continue;
    failure.oracle = Oracle::kToken;
    failure.fault = FailureRecord::kToken;
    failure.x = after.token;
    failure.y = before.token;
    return failure;
  }
  return std::nullopt;
}

// When the takes that may be in each other's way began and ended.
struct Traffic {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;

  // Takes that were under way at some moment from `begin` to `end`.
  std::size_t during(std::int64_t begin, std::int64_t end) const {
    const auto begun = std::upper_bound(begins.begin(), begins.end(), end) - begins.begin();
    const auto over = std::lower_bound(ends.begin(), ends.end(), begin) - ends.begin();
    return static_cast<std::size_t>(begun - over);
  }
};

std::optional<FailureRecord> refusal_without_reason(const History& history, const Rules& rules,
                                                    Evaluations& evaluations) {
  const auto place = [&](const Take& take) { return rules.lock_per_key ? take.key : 0; };
  std::map<std::uint32_t, Traffic> traffic;
  for (const Take& take : history.takes) {
    traffic[place(take)].begins.push_back(take.asked);
    traffic[place(take)].ends.push_back(end_of(take));
  }
  for (auto& [key, there] : traffic) {
    std::sort(there.begins.begin(), there.begins.end());
    std::sort(there.ends.begin(), there.ends.end());
  }
  for (const Take& take : history.takes) {
    if (take.held || !take.checked || take.answered >= history.complete_until) continue;
    evaluations.count(Oracle::kModel);
    const std::size_t others = traffic[place(take)].during(take.asked, take.answered) - 1;
    if (others >= rules.capacity) continue;
    return FailureRecord{.oracle = Oracle::kModel,
                         .fault = FailureRecord::kRefusedAlone,
                         .thread = take.thread,
                         .key = take.key,
                         .x = rules.capacity};
  }
  return std::nullopt;
}

}  // namespace

std::optional<FailureRecord> contradiction(const History& history, const Rules& rules,
                                           Evaluations& evaluations) {
  if (auto failure = holds_out_of_order(history, evaluations)) return failure;
  if (rules.hold_limit_ns != 0) {
    if (auto failure = limited_holds_overlap(history, rules, evaluations)) return failure;
  }
  if (!rules.strong_try) return std::nullopt;
  return refusal_without_reason(history, rules, evaluations);
}

}  // namespace lockbench::stress::threads
