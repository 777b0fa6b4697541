// SPDX-License-Identifier: Apache-2.0

// Summary: the standings within each group of cells of a run, best first. Pure: rows in, standings
// out.
//
// A group is a cell without its primitive: what primitives are compared within. Ratios are of
// speeds, block by block, since the machine drifts between blocks by more than most locks differ;
// their interval is by order statistics (median.h). Whether a difference holds beside all others
// of the run is for `lockbench compare` to say.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/plan/cell.h"
#include "harness/plan/median.h"
#include "harness/record/measurement.h"

namespace lockbench {

// What speed is told by: the inverse of a makespan or a wait, a rate itself.
enum class Metric {
  kRate,      // timed: operations per second
  kMakespan,  // fixed: seconds
  kWait,      // open: the wait of the unluckiest in a hundred, ns; the rate was given
};

// One primitive in one group.
struct Standing {
  PrimitiveSpec primitive;
  std::size_t blocks = 0;                         // with a valid figure
  std::size_t planned = 0;                        // with a row
  std::optional<double> median;                   // of the metric; absent: no valid trial
  std::optional<MedianInterval> median_interval;  // absent of one block
  std::optional<double> ratio;                    // to the baseline; above 1 is faster
  std::optional<MedianInterval> ratio_interval;   // absent of the baseline itself, too
  std::optional<double> first_ratio;              // to the first of the group
  std::optional<MedianInterval> first_interval;   // of that
  std::optional<double> longest_wait_ns;          // of all blocks
  std::optional<double> fairness_jain;            // median
  std::optional<double> lock_bytes;               // median
  std::string unfair;                             // unfairness.h; empty: nothing against it
  double share = 0;                               // of the speed of the fastest, floor included

  // Nothing says that the first of the group is faster than this one. Not asked of one block.
  bool level() const {
    return first_interval && first_interval->low <= 1 && first_interval->high >= 1;
  }
};

struct CellGroup {
  Cell cell;  // without its primitive
  Metric metric = Metric::kRate;
  std::optional<PrimitiveSpec> baseline;  // absent: nothing to compare with
  std::vector<Standing> standings;        // best first, then `none`, then what has no valid trial
};

// No lock at all: measured beside the others, never a competitor.
bool is_floor(const PrimitiveSpec& primitive);

// The cell as all primitives of its group have it.
Cell without_primitive(Cell cell);

// Of the last attempt at each trial; by workload, mode, distribution, hold, keys and threads.
// `confidence`: of each interval. Each measurement is of a trial of the plan.
std::vector<CellGroup> cell_groups(const Plan& plan, std::span<const Measurement> measurements,
                                   double confidence = kUsualConfidence);

// What people would compare with: the first of the usual ones that is there, in this order.
std::optional<PrimitiveSpec> usual_baseline(std::span<const PrimitiveSpec> primitives);

// Places of the groups worth a look, ascending, in at most `lines` lines of text, at least one: of
// each workload and mode the one in which most compete and threads are most in each other's way;
// then those that another primitive wins, and those with the greatest differences.
std::vector<std::size_t> telling_groups(std::span<const CellGroup> groups, std::size_t lines);

}  // namespace lockbench
