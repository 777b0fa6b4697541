// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/open_comparisons.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

namespace lockbench {
namespace {

using Json = nlohmann::json;

// How often to measure each cell; the key is the number of the cell's first trial.
using Wanted = std::map<std::uint32_t, double>;

OpenComparison comparison_from(const Json& json) {
  OpenComparison made{.trials = json.at("trials").get<std::array<std::uint32_t, 2>>(),
                      .blocks = json.at("blocks").get<std::uint64_t>(),
                      .needed = std::nullopt};
  if (!json.at("needed").is_null()) made.needed = json.at("needed").get<double>();
  return made;
}

// Infinite if there is no estimate, so that no budget is sufficient.
double blocks_missing(const OpenComparison& one) {
  if (!one.needed) return std::numeric_limits<double>::infinity();
  return std::max(*one.needed - static_cast<double>(one.blocks), 1.0);
}

class Chooser {
 public:
  Chooser(const Plan& plan, CellSeconds seconds) : plan_(plan), seconds_(seconds) {}

  double seconds_of(const OpenComparison& one) const { return added(one, {}).second; }

  // Adds the comparison if its cells can be measured as often as it needs in the time that is left.
  bool take(const OpenComparison& one, double& left_s) {
    auto [with, cost] = added(one, wanted_);
    if (!(cost <= left_s)) return false;
    left_s -= cost;
    wanted_ = std::move(with);
    return true;
  }

  // Adds one block of the comparison if the time is sufficient.
  void take_one_block(OpenComparison one, double left_s) {
    one.needed = static_cast<double>(one.blocks + 1);
    take(one, left_s);
  }

  // Adds the comparison, and returns the time that it adds.
  double take_anyway(const OpenComparison& one) {
    auto [with, cost] = added(one, wanted_);
    wanted_ = std::move(with);
    return cost;
  }

  bool empty() const { return wanted_.empty(); }

  std::vector<Cell> cells() const {
    std::vector<Cell> cells;
    for (const auto& [number, times] : wanted_) cells.push_back(plan_.trials[number].cell);
    return cells;
  }

 private:
  // A cell that two comparisons share is measured once per block for both.
  std::pair<Wanted, double> added(const OpenComparison& one, Wanted wanted) const {
    double cost = 0;
    for (const std::uint32_t trial : one.trials) {
      double& times = wanted[trial];
      const double more = std::max(blocks_missing(one) - times, 0.0);
      times += more;
      cost += more > 0 ? more * seconds_(plan_.trials[trial].cell) : 0;
    }
    return {std::move(wanted), cost};
  }

  const Plan& plan_;
  CellSeconds seconds_;
  Wanted wanted_;
};

// The open comparisons whose trials the plan has.
std::vector<OpenComparison> known(const Plan& plan, const OpenComparisons& comparisons) {
  std::vector<OpenComparison> open = comparisons.open;
  std::erase_if(open, [&](const OpenComparison& one) {
    return std::max(one.trials[0], one.trials[1]) >= plan.trials.size();
  });
  return open;
}

}  // namespace

absl::StatusOr<OpenComparisons> open_comparisons_from_json(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_string()) {
    return absl::InternalError(json["error"].get<std::string>());
  }
  try {
    OpenComparisons made{.comparisons = json.at("comparisons").get<std::size_t>(),
                         .decided = json.at("decided").get<std::size_t>()};
    for (const Json& one : json.at("open")) made.open.push_back(comparison_from(one));
    return made;
  } catch (const Json::exception& error) {
    return absl::InternalError(
        absl::StrCat("the answer of scripts/commands/follow.py has another form: ", error.what()));
  }
}

std::vector<Cell> cells_of_next_block(const Plan& plan, const OpenComparisons& comparisons,
                                      double left_s, CellSeconds seconds) {
  std::vector<OpenComparison> open = known(plan, comparisons);
  Chooser chooser(plan, seconds);
  std::stable_sort(open.begin(), open.end(), [&](const auto& a, const auto& b) {
    return chooser.seconds_of(a) < chooser.seconds_of(b);
  });
  double left = left_s;
  for (const OpenComparison& one : open) chooser.take(one, left);
  if (chooser.empty() && !open.empty()) chooser.take_one_block(open.front(), left_s);
  return chooser.cells();
}

double seconds_to_decide(const Plan& plan, const OpenComparisons& comparisons,
                         CellSeconds seconds) {
  Chooser chooser(plan, seconds);
  double sum = 0;
  for (const OpenComparison& one : known(plan, comparisons)) {
    if (!one.needed) return std::numeric_limits<double>::infinity();
    sum += chooser.take_anyway(one);
  }
  return sum;
}

}  // namespace lockbench
