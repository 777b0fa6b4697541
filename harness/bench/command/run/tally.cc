// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/tally.h"

#include <algorithm>
#include <cstdio>

#include "harness/base/printable.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/row.h"

namespace lockbench {

void Tally::add(const Trial& trial, const Measurement& last) {
  ++trials_;
  if (last.valid) {
    ++valid_;
    return;
  }
  const std::string what = to_text(trial.cell.primitive) + ", " + to_text(trial.cell.workload);
  Trouble& trouble = troubles_[{what, last.outcome}];
  ++trouble.trials;
  trouble.reason = printable(last.reason);
}

void Tally::note_imprecise(std::span<const Cell> cells, double precision) {
  constexpr std::size_t kNamed = 8;
  char share[32];
  std::snprintf(share, sizeof share, "%g %%", precision * 100);
  imprecise_ =
      "\n  the budget ended with " + counted(cells.size(), "cell") + " less precise than " + share +
      (cells.size() == 1 ? "; a larger --budget narrows it:" : "; a larger --budget narrows them:");
  for (const Cell& cell : cells.first(std::min(cells.size(), kNamed))) {
    imprecise_ += "\n    " + describe(cell);
  }
  if (cells.size() > kNamed) {
    imprecise_ += "\n    and " + std::to_string(cells.size() - kNamed) + " more";
  }
}

std::string Tally::text() const {
  std::string text = counted(trials_, "trial") + ", ";
  if (troubles_.empty()) return text + (trials_ == 1 ? "valid" : "all valid") + imprecise_;
  text += (valid_ == 0 ? "none" : std::to_string(valid_)) + " of them valid";
  for (const auto& [key, trouble] : troubles_) {
    const auto& [what, outcome] = key;
    text += "\n  " + std::to_string(trouble.trials) + " × " + what + ": ";
    // If a trial ran to its end, the reason describes only its proof.
    if (outcome != Outcome::kOk) text += name_of(kOutcomeNames, outcome) + ": ";
    text += trouble.reason;
  }
  return text + imprecise_;
}

Tally tally_of(const Plan& plan, std::span<const Measurement> rows) {
  std::map<std::uint32_t, const Measurement*> last;
  for (const Measurement& row : rows) last[row.trial] = &row;
  Tally tally;
  for (const auto& [trial, row] : last) tally.add(plan.trials[trial], *row);
  return tally;
}

}  // namespace lockbench
