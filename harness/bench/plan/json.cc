// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/json.h"

#include <optional>
#include <type_traits>
#include <utility>

#include "harness/base/json_fields.h"
#include "harness/base/quantity.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

// check_cell() refuses a share that is none.
std::optional<Load> load_from(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return parse_load(*text).value_or(Load{});
}

}  // namespace

template <EitherConst<Cell> T, class Visit>
void json_fields(T& cell, Visit&& visit) {
  visit("primitive", cell.primitive, parse_primitive);
  visit("workload", cell.workload, parse_workload);
  visit("mode", cell.mode, parse_mode);
  visit("threads", cell.threads);
  visit("keys", cell.keys);
  visit("key_type", cell.key_type, parse_key_type);
  visit("key_distribution", cell.key_distribution, parse_key_distribution);
  visit("hold", cell.hold, parse_work);
  visit("think", cell.think, parse_work);
  visit("pinning", cell.pinning, parse_pinning);
  visit("timeout", cell.timeout, parse_duration);
  visit("warmup", cell.warmup, parse_duration);
  visit("window", cell.window, parse_duration);
  visit("operations", cell.operations);
  visit("rate", cell.rate_per_s);
  visit("arrivals", cell.arrivals, parse_arrivals);
  visit("watch", cell.watch_conflicts, parse_watch, watch_text);
  visit("sample_every", cell.sample_every);
  visit("stall_limit", cell.stall_limit, parse_duration);
  visit("time_limit", cell.time_limit, parse_duration);
  // Absent if the workload always writes, and in the plans of older versions.
  visit("writes", cell.write_share);
  // Absent if nothing is counted, and in the plans of older versions.
  std::optional<bool> events;
  if (cell.count_events) events = true;
  visit("events", events);
  if constexpr (!std::is_const_v<T>) cell.count_events = events.value_or(false);
  // Absent if the user wrote `think`, and in the plans of older versions.
  std::optional<std::string> load;
  if (cell.load) load = to_text(*cell.load);
  visit("load", load);
  if constexpr (!std::is_const_v<T>) cell.load = load_from(load);
  // Absent in the plans of measurements.
  std::optional<std::string> machine;
  if (!cell.machine.empty()) machine = cell.machine;
  visit("machine", machine);
  if constexpr (!std::is_const_v<T>) cell.machine = machine.value_or("");
}

template <EitherConst<Trial> T, class Visit>
void json_fields(T& trial, Visit&& visit) {
  visit("number", trial.number);
  visit("block", trial.block);
  visit("position", trial.position);
  visit("seed", trial.seed);
  visit("cell", trial.cell);
}

template <EitherConst<Plan> T, class Visit>
void json_fields(T& plan, Visit&& visit) {
  visit("preset", plan.preset);
  visit("title", plan.title);
  visit("target", plan.target);
  visit("windows", plan.windows);
  visit("seed", plan.seed);
  visit("blocks", plan.blocks);
  visit("trials", plan.trials);
}

namespace {

// The first difference between two objects with the same members.
std::string difference_of(const internal::ordered_json& one, const internal::ordered_json& other) {
  for (const auto& [name, value] : one.items()) {
    if (value.is_object()) {
      if (std::string inner = difference_of(value, other[name]); !inner.empty()) return inner;
    } else if (value != other[name]) {
      return absl::StrFormat("%s %s and %s", name, internal::text_of(value),
                             internal::text_of(other[name]));
    }
  }
  return {};
}

Plan without_trials(const Plan& plan) {
  return {.preset = plan.preset,
          .title = plan.title,
          .target = plan.target,
          .windows = plan.windows,
          .seed = plan.seed,
          .blocks = plan.blocks,
          .trials = {}};
}

}  // namespace

std::string plan_difference(const Plan& one, const Plan& other) {
  if (one == other) return {};
  std::string difference = difference_of(internal::json_of(without_trials(one)),
                                         internal::json_of(without_trials(other)));
  if (!difference.empty()) return difference;
  if (one.trials.size() != other.trials.size()) {
    return absl::StrFormat("%d and %d trials", one.trials.size(), other.trials.size());
  }
  std::size_t i = 0;
  while (one.trials[i] == other.trials[i]) ++i;
  return absl::StrFormat(
      "trial %d: %s", i,
      difference_of(internal::json_of(one.trials[i]), internal::json_of(other.trials[i])));
}

std::string to_json(const Cell& cell) {
  return internal::text_of(internal::json_of(cell));
}

std::string to_json(const Trial& trial) {
  return internal::text_of(internal::json_of(trial));
}

std::string to_json(const Plan& plan) {
  std::string out = internal::text_of(internal::json_of(without_trials(plan)));
  out.resize(out.size() - std::string_view("]}").size());
  std::string_view before = "\n";
  for (const Trial& trial : plan.trials) {
    out += before;
    out += to_json(trial);
    before = ",\n";
  }
  return out + "]}";
}

namespace internal {

absl::StatusOr<Plan> plan_from(const json& value, const std::string& where) {
  absl::StatusOr<Plan> plan = read_record<Plan>(value, where, Unlisted::kAccepted);
  if (!plan.ok()) return plan;
  for (std::size_t i = 0; i < plan->trials.size(); ++i) {
    const absl::Status sound = check_cell(plan->trials[i].cell);
    if (sound.ok()) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("%s.trials[%d].cell.%s", where, i, std::string(sound.message())));
  }
  return plan;
}

}  // namespace internal

absl::StatusOr<Trial> trial_from_json(std::string_view text) {
  const absl::StatusOr<internal::json> value = internal::parse_json(text, "trial");
  if (!value.ok()) return value.status();
  absl::StatusOr<Trial> trial =
      internal::read_record<Trial>(*value, "trial", internal::Unlisted::kRefused);
  if (!trial.ok()) return trial;
  const absl::Status sound = check_cell(trial->cell);
  if (sound.ok()) return trial;
  return absl::InvalidArgumentError("trial.cell." + std::string(sound.message()));
}

}  // namespace lockbench
