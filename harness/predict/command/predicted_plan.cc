// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/command/predicted_plan.h"

#include <algorithm>

namespace lockbench {
namespace {

constexpr std::size_t kMostExamples = 3;

void note(const std::string& reason, std::vector<std::string>& examples) {
  if (examples.size() == kMostExamples) return;
  if (std::find(examples.begin(), examples.end(), reason) == examples.end()) {
    examples.push_back(reason);
  }
}

}  // namespace

PredictedPlan predicted_plan(const Plan& measured, const std::vector<std::string>& machines,
                             const std::function<std::string(Cell&)>& prepare) {
  PredictedPlan predicted{.plan = measured};
  std::vector<Trial>& trials = predicted.plan.trials;
  trials.clear();
  for (const std::string& machine : machines) {
    for (Trial one : measured.trials) {
      one.cell.machine = machine;
      if (const std::string reason = prepare(one.cell); !reason.empty()) {
        if (one.block == 0) {
          ++predicted.left_out;
          note(reason, predicted.examples);
        }
        continue;
      }
      one.number = static_cast<std::uint32_t>(trials.size());
      const bool begins = trials.empty() || trials.back().block != one.block ||
                          trials.back().cell.machine != machine;
      one.position = begins ? 0 : trials.back().position + 1;
      trials.push_back(std::move(one));
    }
  }
  return predicted;
}

}  // namespace lockbench
