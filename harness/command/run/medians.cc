// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/medians.h"

#include <map>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/plan/describe.h"
#include "harness/plan/median.h"

namespace lockbench {
namespace {

std::optional<double> figure_of(Mode mode, const Measurement& measurement) {
  if (mode == Mode::kFixed) return measurement.makespan_s;
  return mode == Mode::kOpen ? measurement.wait_p99_ns : measurement.operations_per_s;
}

std::string text_of(Mode mode, double median) {
  if (mode == Mode::kFixed) return absl::StrFormat("%.4g s", median);
  if (mode == Mode::kOpen) return absl::StrFormat("p99 wait %.4g ns", median);
  return absl::StrFormat("%.4g operations/s", median);
}

}  // namespace

std::string medians_text(const Plan& plan, std::span<const Measurement> measurements) {
  std::map<std::string, std::vector<double>> figures;  // by the description of the cell
  for (const Measurement& measurement : measurements) {
    const Cell& cell = plan.trials[measurement.trial].cell;
    const std::optional<double> figure = figure_of(cell.mode, measurement);
    if (measurement.valid && figure) figures[describe(cell)].push_back(*figure);
  }
  std::string text;
  for (const Trial& trial : plan.trials) {
    if (trial.block != 0) continue;
    const std::string cell = describe(trial.cell);
    const auto found = figures.find(cell);
    const std::string value =
        found == figures.end() ? "not valid" : text_of(trial.cell.mode, median(found->second));
    absl::StrAppend(&text, "  ", cell, ": ", value, "\n");
  }
  return text;
}

}  // namespace lockbench
