// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/machine_identity.h"

#include <algorithm>
#include <cctype>

#include <absl/strings/str_format.h>

#include "harness/bench/plan/describe.h"
#include "harness/bench/record/machine_json.h"

namespace lockbench {
namespace {

constexpr std::size_t kIdDigits = 6;

bool is_limit(std::string_view name) {
  return std::find(kMachineConditions.end() - kMachineLimits, kMachineConditions.end(), name) !=
         kMachineConditions.end();
}

// A value for messages: text without quotes.
std::string value_of(const internal::ordered_json& machine, std::string_view name) {
  const auto found = machine.find(std::string(name));
  if (found == machine.end()) return is_limit(name) ? "none" : "unknown";
  return found->is_string() ? found->get<std::string>() : internal::text_of(*found);
}

std::string difference_in(std::string_view name, const internal::ordered_json& one,
                          const internal::ordered_json& other) {
  return absl::StrFormat("%s %s and %s", name, value_of(one, name), value_of(other, name));
}

}  // namespace

std::vector<std::string> condition_differences(const Machine& one, const Machine& other) {
  const internal::ordered_json a = internal::json_of(one);
  const internal::ordered_json b = internal::json_of(other);
  std::vector<std::string> differences;
  for (const std::string_view name : kMachineConditions) {
    if (value_of(a, name) != value_of(b, name)) differences.push_back(difference_in(name, a, b));
  }
  return differences;
}

std::string machine_difference(const Machine& one, const Machine& other) {
  const std::vector<std::string> differences = condition_differences(one, other);
  if (!differences.empty()) return differences.front();
  const internal::ordered_json a = internal::json_of(one);
  const internal::ordered_json b = internal::json_of(other);
  std::string difference;
  for (const std::string_view name : kMachineNames) {
    if (!a.contains(name) || !b.contains(name)) continue;
    if (value_of(a, name) == value_of(b, name)) return {};
    difference = difference_in(name, a, b);
  }
  return difference;
}

std::string machine_id(const Machine& machine) {
  const internal::ordered_json members = internal::json_of(machine);
  std::string conditions;
  for (const std::string_view name : kMachineConditions) {
    // A machine without limits has the id that versions before they were recorded gave it.
    if (is_limit(name) && !members.contains(name)) continue;
    conditions += value_of(members, name) + "\n";
  }
  std::string name;
  for (const char c : machine.host.value_or("machine")) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    name += plain ? c : '-';
  }
  return name + "-" + fingerprint(conditions).substr(0, kIdDigits);
}

}  // namespace lockbench
