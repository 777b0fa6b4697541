// SPDX-License-Identifier: Apache-2.0

#include "harness/command/predict/predicted_plan.h"

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
                             const std::function<std::string(const Cell&)>& refusal) {
  PredictedPlan predicted{.plan = measured};
  std::vector<Trial>& trials = predicted.plan.trials;
  trials.clear();
  std::vector<Trial> possible;
  for (const Trial& trial : measured.trials) {
    const std::string reason = refusal(trial.cell);
    if (reason.empty()) {
      possible.push_back(trial);
    } else if (trial.block == 0) {
      ++predicted.left_out;
      note(reason, predicted.examples);
    }
  }
  for (const std::string& machine : machines) {
    for (const Trial& trial : possible) {
      Trial one = trial;
      one.cell.machine = machine;
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
