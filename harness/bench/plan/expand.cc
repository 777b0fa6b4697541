// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/expand.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/plan/load.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/plan/sweep_fields.h"
#include "harness/bench/plan/window.h"
#include "workloads/random.h"

namespace lockbench {

void append_block(Plan& plan, std::span<const Cell> cells) {
  const std::uint32_t block = plan.trials.empty() ? 0 : plan.trials.back().block + 1;
  const std::uint64_t seed = derive_seed(plan.seed, block) & kSeedRange.most;
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(seed).shuffle(std::span(order));
  std::uint32_t position = 0;
  for (const std::size_t index : order) {
    plan.trials.push_back({.number = static_cast<std::uint32_t>(plan.trials.size()),
                           .block = block,
                           .position = position++,
                           .seed = seed,
                           .cell = cells[index]});
  }
  plan.blocks = block + 1;
}

namespace {

constexpr Nanoseconds kDefaultWarmup = std::chrono::milliseconds(20);
constexpr Nanoseconds kDefaultWindow = std::chrono::milliseconds(100);
constexpr Nanoseconds kDefaultOpenWindow = std::chrono::seconds(1);

Sweep with_defaults(Sweep sweep) {
  Cell usual;
  usual.workload.name = kDefaultWorkload;
  usual.keys = 0;  // the distribution decides, see complete()
  const bool measures_nothing = sweep.primitives.empty();
  for_each_axis([&](auto axis, auto field) {
    if ((sweep.*axis).empty()) (sweep.*axis).push_back(usual.*field);
  });
  if (measures_nothing) sweep.primitives.clear();
  return sweep;
}

// Combines every cell so far with every value.
template <class T>
std::vector<Cell> crossed(const std::vector<Cell>& cells, T Cell::*field,
                          const std::vector<T>& values) {
  std::vector<Cell> product;
  product.reserve(cells.size() * values.size());
  for (const Cell& cell : cells) {
    for (const T& value : values) {
      product.push_back(cell);
      product.back().*field = value;
    }
  }
  return product;
}

// The result is limited to one more than a plan may have.
std::size_t size_of(const Sweep& sweep) {
  std::size_t size = 1;
  for_each_axis([&](auto axis, auto) {
    const std::size_t values = (sweep.*axis).size();
    size = values != 0 && size > kMostTrials / values ? kMostTrials + 1 : size * values;
  });
  return size;
}

std::vector<Cell> product_of(const Sweep& sweep) {
  std::vector<Cell> cells(1);
  for_each_axis([&](auto axis, auto field) { cells = crossed(cells, field, sweep.*axis); });
  return cells;
}

// Fills in the fields that do not vary within the sweep, and those that depend on the fields that
// vary.
void complete(const Sweep& sweep, Cell& cell) {
  const std::vector<std::uint32_t>& counts = cell.key_distribution.counts;
  const bool assigned = cell.key_distribution.kind == KeyDistribution::Kind::kAssigned;
  const bool own = cell.key_distribution.kind == KeyDistribution::Kind::kOwn;
  if (cell.keys == 0) cell.keys = assigned ? counts.size() : own ? cell.threads : 1;
  cell.mode = sweep.mode.value_or(Mode::kTimed);
  const bool open = cell.mode == Mode::kOpen;
  if (cell.mode != Mode::kFixed) {
    cell.warmup = sweep.warmup.value_or(kDefaultWarmup);
    cell.window = sweep.window.value_or(open ? kDefaultOpenWindow : kDefaultWindow);
  } else if (sweep.operations) {
    cell.operations = *sweep.operations;
  } else if (assigned && cell.threads != 0) {
    // The division ignores a remainder. The cell is then refused, because the sums differ.
    cell.operations =
        std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) / cell.threads;
  }
  if (open) cell.arrivals = sweep.arrivals.value_or(ArrivalKind::kPoisson);
  cell.watch_conflicts = sweep.watch_conflicts.value_or(false);
  cell.count_events = sweep.count_events.value_or(false);
  cell.sample_every = sweep.sample_every.value_or(open ? 1 : Cell{}.sample_every);
  cell.time_limit = sweep.time_limit.value_or(Nanoseconds{0});
}

// Which cells got longer windows than asked for, and which ones.
class LengthenedWindows {
 public:
  void add(Nanoseconds window) {
    ++cells_;
    longest_ = std::max(longest_, window);
    shortest_ = shortest_ ? std::min(*shortest_, window) : window;
  }

  std::optional<std::string> said(std::size_t of_cells) const {
    if (!shortest_) return std::nullopt;
    const std::string span = *shortest_ == longest_
                                 ? to_text(longest_)
                                 : to_text(*shortest_) + " to " + to_text(longest_);
    return absl::StrFormat("longer windows in %d of %s (%s), which holds and think times need",
                           cells_, counted(of_cells, "cell"), span);
  }

 private:
  std::size_t cells_ = 0;
  std::optional<Nanoseconds> shortest_;
  Nanoseconds longest_{0};
};

// Lengthens warm-up and window to what the cell needs; returns whether the window was too short.
bool fit_window(const Sweep& sweep, const CellTraits& traits, Cell& cell) {
  const WindowNeeds needs = window_needs(cell, traits);
  if (!sweep.exact_warmup) cell.warmup = std::max(cell.warmup, needs.warmup);
  if (sweep.exact_window || cell.window >= needs.window) return false;
  cell.window = needs.window;
  return true;
}

// Collects the cells of all sweeps, each once.
class Cells {
 public:
  explicit Cells(const CellCheck& check) : check_(check) {}

  absl::Status add(const Sweep& given) {
    const Sweep sweep = with_defaults(given);
    const std::string prefix = sweep.where.empty() ? "" : sweep.where + ": ";
    if (size_of(sweep) > kMostTrials) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%sthe sweep has more than %d cells; take fewer values", prefix, kMostTrials));
    }
    if (!given.loads.empty() && !given.thinks.empty()) {
      return absl::InvalidArgumentError(
          prefix + "load: determines the think time, so leave out think, or write think alone");
    }
    absl::Status unreached = absl::OkStatus();
    const std::size_t before = added_;
    for (Cell& cell : product_of(sweep)) {
      complete(sweep, cell);
      const absl::Status status = add(prefix, sweep, std::move(cell), unreached);
      if (!status.ok()) return status;
    }
    return added_ == before ? unreached : absl::OkStatus();
  }

  // An error if a primitive or a load was requested and makes sense in no cell.
  absl::Status every_axis_has_effect() const {
    for (const auto& [load, reason] : unreached_) {
      if (!measured_loads_.contains(load)) return reason;
    }
    for (const auto& [primitive, reason] : skipped_) {
      if (!measured_.contains(primitive)) return reason;
    }
    if (cells_.empty()) return absl::InvalidArgumentError("the plan is empty; add a [[sweep]]");
    return absl::OkStatus();
  }

  const std::vector<Cell>& all() const { return cells_; }

  std::optional<std::string> windows() const { return lengthened_.said(cells_.size()); }

 private:
  absl::Status add(const std::string& prefix, const Sweep& sweep, Cell cell,
                   absl::Status& unreached) {
    const absl::Status sound = check_cell(cell);
    const absl::StatusOr<CellTraits> traits = sound.ok() ? check_(cell) : sound;
    const std::string primitive = to_text(cell.primitive);
    if (!traits.ok()) {
      const absl::Status error = absl::InvalidArgumentError(absl::StrFormat(
          "%s%s: %s", prefix, describe(cell), std::string(traits.status().message())));
      if (!sweep.skip_unsupported || !absl::IsFailedPrecondition(traits.status())) return error;
      skipped_.emplace(primitive, error);
      return absl::OkStatus();
    }
    if (cell.load) {
      const absl::StatusOr<Work> think = think_for_load(cell, *traits);
      if (!think.ok()) return note_load(prefix, sweep, cell, think.status(), unreached);
      cell.think = *think;
    }
    const bool longer = fit_window(sweep, *traits, cell);
    ++added_;
    measured_loads_.insert(to_text(cell.load));
    cell.stall_limit = stall_limit_of(cell, *traits);
    if (!sweep.time_limit) cell.time_limit = time_limit_of(cell, *traits);
    measured_.insert(primitive);
    if (!seen_.insert(to_json(cell)).second) return absl::OkStatus();
    if (longer) lengthened_.add(cell.window);
    cells_.push_back(std::move(cell));
    return absl::OkStatus();
  }

  // A load that some cells cannot reach is measured in the others. A preset is for many machines:
  // on those with few processors its sweeps do without the loads that none of their cells reaches.
  absl::Status note_load(const std::string& prefix, const Sweep& sweep, const Cell& cell,
                         const absl::Status& status, absl::Status& unreached) {
    const absl::Status error = absl::InvalidArgumentError(
        absl::StrFormat("%s%s: %s", prefix, describe(cell), std::string(status.message())));
    if (!absl::IsFailedPrecondition(status)) return error;
    if (sweep.every_load) unreached_.emplace(to_text(cell.load), error);
    if (unreached.ok()) unreached = error;
    return absl::OkStatus();
  }

  const CellCheck& check_;
  std::vector<Cell> cells_;
  LengthenedWindows lengthened_;
  std::size_t added_ = 0;  // cells of all sweeps that can be measured, one that occurs twice too
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> measured_;     // primitives with a cell
  std::map<std::string, absl::Status> skipped_;  // primitives with a skipped cell, and the reason
  std::unordered_set<std::string> measured_loads_;
  std::map<std::string, absl::Status> unreached_;  // loads that a cell cannot reach, and the reason
};

}  // namespace

absl::StatusOr<Plan> expand(const Preset& preset, const CellCheck& check) {
  Cells cells(check);
  for (const Sweep& sweep : preset.sweeps) {
    const absl::Status status = cells.add(sweep);
    if (!status.ok()) return status;
  }
  const absl::Status status = cells.every_axis_has_effect();
  if (!status.ok()) return status;
  const std::size_t count = cells.all().size();
  if (preset.blocks == 0 || preset.blocks > kMostTrials / count) {
    return absl::InvalidArgumentError(
        absl::StrFormat("blocks: %d of %d cells each is out of range: a plan has 1 to %d trials",
                        preset.blocks, count, kMostTrials));
  }

  Plan plan{.preset = preset.name,
            .title = preset.title.empty() ? std::nullopt : std::optional(preset.title),
            .target = preset.target,
            .windows = cells.windows(),
            .seed = preset.seed,
            .blocks = 0,
            .trials = {}};
  while (plan.blocks < preset.blocks) append_block(plan, cells.all());
  return plan;
}

}  // namespace lockbench
