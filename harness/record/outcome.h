// SPDX-License-Identifier: Apache-2.0

// Names of Outcome, as in trials.csv and in a sample's JSON.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/measure/sample.h"

namespace lockbench {

inline constexpr std::array<std::pair<Outcome, std::string_view>, 6> kOutcomeNames{{
    {Outcome::kOk, "ok"},
    {Outcome::kDeadlock, "deadlock"},
    {Outcome::kTimeout, "timeout"},
    {Outcome::kCrashed, "crashed"},
    {Outcome::kFailed, "failed"},
    {Outcome::kServiceLost, "service_lost"},
}};

constexpr std::string_view outcome_name(Outcome outcome) {
  for (const auto& [value, name] : kOutcomeNames) {
    if (value == outcome) return name;
  }
  return "";
}

constexpr std::optional<Outcome> outcome_named(std::string_view name) {
  for (const auto& [value, known] : kOutcomeNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace lockbench
