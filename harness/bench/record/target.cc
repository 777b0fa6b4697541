// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/target.h"

#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

std::string number_or_unknown(const std::optional<std::uint32_t>& number) {
  return number ? std::to_string(*number) : "an unknown number of";
}

}  // namespace

const Target* find_target(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

TargetMatch match_target(const Machine& machine, const Target& target) {
  const bool same_cpu_model =
      machine.cpu_model && machine.cpu_model->find(target.name) != std::string::npos;
  if (same_cpu_model && machine.cores == target.cores &&
      machine.hardware_threads == target.hardware_threads) {
    return {.matches = true, .note = ""};
  }
  return {.matches = false,
          .note = absl::StrFormat(
              "sized for an %s (%d cores, %d hardware threads), measured on %s (%s cores, %s "
              "hardware threads): the figures are this machine's, not the target's",
              target.name, target.cores, target.hardware_threads,
              machine.cpu_model.value_or("an unknown processor"), number_or_unknown(machine.cores),
              number_or_unknown(machine.hardware_threads))};
}

}  // namespace lockbench
