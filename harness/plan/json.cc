// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/json.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/plan/limits.h"
#include "harness/plan/nearest.h"
#include "harness/plan/quantity.h"
#include "harness/plan/spelling.h"

namespace lockbench {
namespace {

using Json = nlohmann::ordered_json;

// One line; a name from a file system may hold bytes that are no UTF-8.
std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const Cell& cell) {
  return {{"primitive", to_text(cell.primitive)},
          {"workload", to_text(cell.workload)},
          {"mode", to_text(cell.mode)},
          {"threads", cell.threads},
          {"keys", cell.keys},
          {"key_type", to_text(cell.key_type)},
          {"key_distribution", to_text(cell.key_distribution)},
          {"hold", to_text(cell.hold)},
          {"think", to_text(cell.think)},
          {"pinning", cell.pinning},
          {"timeout", to_text(cell.timeout)},
          {"warmup", to_text(cell.warmup)},
          {"window", to_text(cell.window)},
          {"operations", cell.operations},
          {"rate", cell.rate_per_s},
          {"arrivals", to_text(cell.arrivals)},
          {"watch", watch_text(cell.watch_conflicts)},
          {"sample_every", cell.sample_every},
          {"stall_limit", to_text(cell.stall_limit)},
          {"time_limit", to_text(cell.time_limit)}};
}

Json json_of(const Trial& trial) {
  return {{"number", trial.number},
          {"block", trial.block},
          {"position", trial.position},
          {"seed", trial.seed},
          {"cell", json_of(trial.cell)}};
}

Json header_of(const Plan& plan) {
  return {{"preset", plan.preset},
          {"target", plan.target},
          {"seed", plan.seed},
          {"blocks", plan.blocks}};
}

// Reads the fields of one object; after the first error, all further reads do nothing.
class Fields {
 public:
  Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) fail("wants an object");
  }

  template <class T>
  requires std::is_unsigned_v<T>
  void read(const char* name, T& out) {
    const Json* const value = find(name);
    if (value == nullptr) return;
    if (!value->is_number_unsigned()) return fail(name, "wants a whole number, 0 or more");
    const auto number = value->get<std::uint64_t>();
    if (number > std::numeric_limits<T>::max()) return fail(name, "is too large a number");
    out = static_cast<T>(number);
  }

  void read(const char* name, std::string& out) {
    const Json* const value = find(name);
    if (value == nullptr) return;
    if (!value->is_string()) return fail(name, "wants text in quotes");
    out = value->get<std::string>();
  }

  template <class T>
  void read(const char* name, T& out, absl::StatusOr<T> (*parse)(std::string_view)) {
    std::string text;
    read(name, text);
    if (!status_.ok()) return;
    absl::StatusOr<T> value = parse(text);
    if (!value.ok()) return fail(name, std::string(value.status().message()));
    out = *std::move(value);
  }

  // The field as it stands; null when it is missing or an error came before.
  const Json* find(const char* name) {
    known_.emplace_back(name);
    if (!status_.ok()) return nullptr;
    const auto field = object_.find(name);
    if (field != object_.end()) return &*field;
    fail(name, "is missing");
    return nullptr;
  }

  void fail(const char* name, const std::string& reason) {
    fail(absl::StrFormat("field '%s': %s", name, reason));
  }

  // After all reads: what else stands in the object was meant to be something.
  absl::Status finish() {
    if (!status_.ok()) return status_;
    for (const auto& [name, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      fail(std::string(unknown_name("field", name, known_).message()));
      break;
    }
    return status_;
  }

 private:
  void fail(const std::string& reason) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(place_ + ": " + reason);
  }

  const Json& object_;
  const std::string place_;
  std::vector<std::string> known_;
  absl::Status status_;
};

absl::StatusOr<Cell> cell_of(const Json& json, const std::string& place) {
  Fields fields(json, place);
  Cell cell;
  fields.read("primitive", cell.primitive, parse_primitive);
  fields.read("workload", cell.workload, parse_workload);
  fields.read("mode", cell.mode, parse_mode);
  fields.read("threads", cell.threads);
  fields.read("keys", cell.keys);
  fields.read("key_type", cell.key_type, parse_key_type);
  fields.read("key_distribution", cell.key_distribution, parse_key_distribution);
  fields.read("hold", cell.hold, parse_work);
  fields.read("think", cell.think, parse_work);
  fields.read("pinning", cell.pinning, parse_pinning);
  fields.read("timeout", cell.timeout, parse_duration);
  fields.read("warmup", cell.warmup, parse_duration);
  fields.read("window", cell.window, parse_duration);
  fields.read("operations", cell.operations);
  fields.read("rate", cell.rate_per_s);
  fields.read("arrivals", cell.arrivals, parse_arrivals);
  fields.read("watch", cell.watch_conflicts, parse_watch);
  fields.read("sample_every", cell.sample_every);
  fields.read("stall_limit", cell.stall_limit, parse_duration);
  fields.read("time_limit", cell.time_limit, parse_duration);
  const absl::Status status = fields.finish();
  if (!status.ok()) return status;
  const absl::Status possible = check_cell(cell);
  if (possible.ok()) return cell;
  return absl::InvalidArgumentError(place + ": " + std::string(possible.message()));
}

absl::StatusOr<Trial> trial_of(const Json& json, const std::string& place) {
  Fields fields(json, place);
  Trial trial;
  fields.read("number", trial.number);
  fields.read("block", trial.block);
  fields.read("position", trial.position);
  fields.read("seed", trial.seed);
  const Json* const cell_json = fields.find("cell");
  const absl::Status status = fields.finish();
  if (!status.ok()) return status;
  absl::StatusOr<Cell> cell = cell_of(*cell_json, place + ", cell");
  if (!cell.ok()) return cell.status();
  trial.cell = *std::move(cell);
  return trial;
}

absl::StatusOr<Plan> plan_of(const Json& json) {
  Fields fields(json, "plan");
  Plan plan;
  fields.read("preset", plan.preset);
  fields.read("target", plan.target);
  fields.read("seed", plan.seed);
  fields.read("blocks", plan.blocks);
  const Json* const trials = fields.find("trials");
  if (trials != nullptr && !trials->is_array()) fields.fail("trials", "wants an array");
  const absl::Status status = fields.finish();
  if (!status.ok()) return status;
  for (const Json& element : *trials) {
    absl::StatusOr<Trial> trial =
        trial_of(element, "plan, trial " + std::to_string(plan.trials.size()));
    if (!trial.ok()) return trial.status();
    plan.trials.push_back(*std::move(trial));
  }
  return plan;
}

absl::StatusOr<Json> parsed(std::string_view text, std::string_view what) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: not JSON at byte %d", what, error.byte));
  } catch (const Json::out_of_range&) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: a number is beyond what 64 bits hold", what));
  }
}

}  // namespace

std::string to_json(const Cell& cell) {
  return one_line(json_of(cell));
}

std::string to_json(const Trial& trial) {
  return one_line(json_of(trial));
}

std::string to_json(const Plan& plan) {
  std::string out = one_line(header_of(plan));
  out.pop_back();
  out += ",\"trials\":[";
  std::string_view before = "\n";
  for (const Trial& trial : plan.trials) {
    out += before;
    out += to_json(trial);
    before = ",\n";
  }
  return out + "]}";
}

absl::StatusOr<Trial> trial_from_json(std::string_view json) {
  const absl::StatusOr<Json> value = parsed(json, "trial");
  if (!value.ok()) return value.status();
  return trial_of(*value, "trial");
}

absl::StatusOr<Plan> plan_from_json(std::string_view json) {
  const absl::StatusOr<Json> value = parsed(json, "plan");
  if (!value.ok()) return value.status();
  return plan_of(*value);
}

}  // namespace lockbench
