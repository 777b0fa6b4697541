// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/command/run/unfairness.h"
#include "harness/plan/json.h"
#include "harness/plan/spelling.h"

namespace lockbench {
namespace {

// As scripts/analysis/baselines.py has them.
constexpr std::array kUsualBaselines = {
    "global:lock=std", "recursive_mutex", "lease_condvar",
    "global",          "keyed_table",     "striped_vector",
};

// The valid measurements of one cell, and the speed of each block.
struct CellRows {
  PrimitiveSpec primitive;
  std::size_t planned = 0;
  std::vector<const Measurement*> valid;
  std::map<std::uint32_t, double> speeds;  // by block
};

struct GroupRows {
  Cell cell;
  std::vector<CellRows> cells;  // in the order of the plan
};

Metric metric_of(const Cell& cell) {
  if (cell.mode == Mode::kFixed) return Metric::kMakespan;
  return cell.mode == Mode::kOpen ? Metric::kWait : Metric::kRate;
}

std::optional<double> figure_of(const Measurement& m, Metric metric) {
  if (metric == Metric::kRate) return m.operations_per_s;
  return metric == Metric::kMakespan ? m.makespan_s : m.wait_p99_ns;
}

double speed_of(double figure, Metric metric) {
  return metric == Metric::kRate ? figure : 1 / figure;
}

std::map<std::uint32_t, const Measurement*> last_attempts(
    std::span<const Measurement> measurements) {
  std::map<std::uint32_t, const Measurement*> last;
  for (const Measurement& m : measurements) {
    const Measurement*& seen = last[m.trial];
    if (seen == nullptr || seen->attempt <= m.attempt) seen = &m;
  }
  return last;
}

template <class Found, class Matches>
Found& found_or_added(std::vector<Found>& all, Matches matches) {
  const auto found = std::find_if(all.begin(), all.end(), matches);
  return found != all.end() ? *found : all.emplace_back();
}

void add(CellRows& rows, const Measurement& m, std::uint32_t block, Metric metric) {
  ++rows.planned;
  const std::optional<double> figure = figure_of(m, metric);
  if (!m.valid || !figure || *figure <= 0) return;
  rows.valid.push_back(&m);
  rows.speeds[block] = speed_of(*figure, metric);
}

std::vector<GroupRows> grouped(const Plan& plan, std::span<const Measurement> measurements) {
  std::vector<GroupRows> groups;
  std::map<std::string, std::size_t> places;
  for (const auto& [number, measurement] : last_attempts(measurements)) {
    const Trial& trial = plan.trials[number];
    const Cell cell = without_primitive(trial.cell);
    const auto [place, is_new] = places.emplace(to_json(cell), groups.size());
    if (is_new) groups.push_back({.cell = cell, .cells = {}});
    CellRows& rows = found_or_added(groups[place->second].cells, [&](const CellRows& c) {
      return c.primitive == trial.cell.primitive;
    });
    rows.primitive = trial.cell.primitive;
    add(rows, *measurement, trial.block, metric_of(cell));
  }
  return groups;
}

std::vector<double> values_of(const CellRows& rows, std::optional<double> Measurement::*figure) {
  std::vector<double> values;
  for (const Measurement* m : rows.valid) {
    if (m->*figure) values.push_back(*(m->*figure));
  }
  return values;
}

std::optional<double> median_of(const CellRows& rows, std::optional<double> Measurement::*figure) {
  std::vector<double> values = values_of(rows, figure);
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

// Speeds of the blocks that both have, as ratios.
std::vector<double> paired(const CellRows& above, const CellRows& below) {
  std::vector<double> ratios;
  for (const auto& [block, speed] : above.speeds) {
    const auto other = below.speeds.find(block);
    if (other != below.speeds.end()) ratios.push_back(speed / other->second);
  }
  return ratios;
}

void compare(const CellRows& rows, const CellRows& with, double confidence,
             std::optional<double>& ratio, std::optional<MedianInterval>& interval) {
  const std::vector<double> ratios = paired(rows, with);
  if (ratios.empty()) return;
  ratio = median(ratios);
  if (&rows != &with) interval = median_interval(ratios, confidence);
}

Standing measured(const CellRows& rows, const Cell& cell, double confidence) {
  Standing standing{.primitive = rows.primitive,
                    .blocks = rows.valid.size(),
                    .planned = rows.planned,
                    .fairness_jain = median_of(rows, &Measurement::fairness_jain),
                    .lock_bytes = median_of(rows, &Measurement::lock_bytes)};
  std::vector<double> figures;
  for (const Measurement* m : rows.valid) figures.push_back(*figure_of(*m, metric_of(cell)));
  if (figures.empty()) return standing;
  standing.median = median(figures);
  standing.median_interval = median_interval(figures, confidence);
  const std::vector<double> waits = values_of(rows, &Measurement::wait_max_ns);
  if (!waits.empty()) standing.longest_wait_ns = *std::max_element(waits.begin(), waits.end());
  standing.unfair = unfairness_of(cell, {.jain = standing.fairness_jain,
                                         .wait_max_ns = median_of(rows, &Measurement::wait_max_ns),
                                         .held_p50_ns = median_of(rows, &Measurement::held_p50_ns),
                                         .window_s = median_of(rows, &Measurement::window_s)});
  return standing;
}

// Competitors by speed, then the floor, then what has no figure.
auto order_of(const Standing& standing, Metric metric) {
  const double speed = standing.median ? speed_of(*standing.median, metric) : 0;
  return std::tuple(!standing.median, is_floor(standing.primitive), -speed);
}

const CellRows* rows_of(const GroupRows& group, const PrimitiveSpec& primitive) {
  const auto found = std::find_if(group.cells.begin(), group.cells.end(),
                                  [&](const CellRows& c) { return c.primitive == primitive; });
  return found == group.cells.end() || found->valid.empty() ? nullptr : &*found;
}

CellGroup summed_up(const GroupRows& rows, double confidence) {
  CellGroup group{.cell = rows.cell, .metric = metric_of(rows.cell)};
  std::vector<PrimitiveSpec> competitors;
  double fastest = 0;
  for (const CellRows& cell : rows.cells) {
    group.standings.push_back(measured(cell, rows.cell, confidence));
    const Standing& standing = group.standings.back();
    if (!standing.median) continue;
    fastest = std::max(fastest, speed_of(*standing.median, group.metric));
    if (!is_floor(cell.primitive)) competitors.push_back(cell.primitive);
  }
  std::stable_sort(group.standings.begin(), group.standings.end(),
                   [&group](const Standing& a, const Standing& b) {
                     return order_of(a, group.metric) < order_of(b, group.metric);
                   });
  if (competitors.size() > 1) group.baseline = usual_baseline(competitors);
  const CellRows* const baseline = group.baseline ? rows_of(rows, *group.baseline) : nullptr;
  const CellRows* const first = rows_of(rows, group.standings.front().primitive);
  for (Standing& standing : group.standings) {
    const CellRows* const own = rows_of(rows, standing.primitive);
    if (own == nullptr) continue;
    standing.share = speed_of(*standing.median, group.metric) / fastest;
    if (baseline != nullptr) {
      compare(*own, *baseline, confidence, standing.ratio, standing.ratio_interval);
    }
    if (is_floor(standing.primitive)) continue;
    compare(*own, *first, confidence, standing.first_ratio, standing.first_interval);
  }
  return group;
}

// Where a group stands among the others: words by alphabet, numbers by size.
auto place_of(const Cell& cell) {
  return std::tuple(to_text(cell.workload), to_text(cell.mode), to_text(cell.key_distribution),
                    to_text(cell.hold.kind), cell.hold.duration, cell.hold.lines, cell.keys,
                    cell.threads, cell.rate_per_s);
}

// More is more in each other's way.
auto contention_of(const CellGroup& group) {
  const auto competing =
      std::count_if(group.standings.begin(), group.standings.end(),
                    [](const Standing& s) { return s.median && !is_floor(s.primitive); });
  return std::tuple(group.cell.threads > 1, competing, group.cell.threads,
                    -static_cast<double>(group.cell.keys), group.cell.rate_per_s);
}

std::string winner_of(const CellGroup& group) {
  return to_text(group.standings.front().primitive);
}

// How many times faster the first is than the last.
double spread_of(const CellGroup& group) {
  double least = 1;
  for (const Standing& s : group.standings) {
    if (s.median && !is_floor(s.primitive)) least = std::min(least, s.share);
  }
  return 1 / least;
}

std::size_t lines_of(const CellGroup& group) {
  return group.standings.size() + 3;  // its title, headings and the empty line
}

// The places of groups, those first that are worth most.
std::vector<std::size_t> by_worth(std::span<const CellGroup> groups) {
  std::map<std::string, std::size_t> most_contended;  // by kind
  const auto kind_of = [](const CellGroup& g) {
    return to_text(g.cell.workload) + " " + to_text(g.cell.mode);
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [place, is_new] = most_contended.emplace(kind_of(groups[i]), i);
    if (contention_of(groups[i]) > contention_of(groups[place->second])) place->second = i;
  }
  std::set<std::size_t> chosen;
  std::set<std::string> winners;
  for (const auto& [kind, place] : most_contended) {
    chosen.insert(place);
    winners.insert(winner_of(groups[place]));
  }
  std::vector<std::size_t> order(chosen.begin(), chosen.end());
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!chosen.contains(i)) rest.push_back(i);
  }
  std::stable_sort(rest.begin(), rest.end(), [&](std::size_t a, std::size_t b) {
    const auto worth = [&](std::size_t i) {
      return std::pair(!winners.contains(winner_of(groups[i])), spread_of(groups[i]));
    };
    return worth(a) > worth(b);
  });
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

}  // namespace

bool is_floor(const PrimitiveSpec& primitive) {
  return primitive.name == "none";
}

Cell without_primitive(Cell cell) {
  cell.primitive = {};
  // What follows from the primitive, or bears on no figure.
  cell.stall_limit = {};
  cell.time_limit = {};
  cell.watch_conflicts = false;
  return cell;
}

std::vector<CellGroup> cell_groups(const Plan& plan, std::span<const Measurement> measurements,
                                   double confidence) {
  std::vector<CellGroup> groups;
  for (const GroupRows& rows : grouped(plan, measurements)) {
    groups.push_back(summed_up(rows, confidence));
  }
  // Trials come in an order drawn by chance.
  std::stable_sort(groups.begin(), groups.end(), [](const CellGroup& a, const CellGroup& b) {
    return place_of(a.cell) < place_of(b.cell);
  });
  return groups;
}

std::optional<PrimitiveSpec> usual_baseline(std::span<const PrimitiveSpec> primitives) {
  if (primitives.empty()) return std::nullopt;
  for (const std::string name : kUsualBaselines) {
    for (const PrimitiveSpec& primitive : primitives) {
      const std::string text = to_text(primitive);
      // The primitive itself, or one with more parameters.
      if (text == name || text.starts_with(name + ":") || text.starts_with(name + ",")) {
        return primitive;
      }
    }
  }
  return primitives.front();
}

std::vector<std::size_t> telling_groups(std::span<const CellGroup> groups, std::size_t lines) {
  std::vector<std::size_t> telling;
  std::size_t used = 0;
  for (const std::size_t place : by_worth(groups)) {
    used += lines_of(groups[place]);
    if (used > lines && !telling.empty()) break;
    telling.push_back(place);
  }
  std::sort(telling.begin(), telling.end());
  return telling;
}

}  // namespace lockbench
