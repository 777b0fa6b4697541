// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/shard.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/json.h"

namespace lockbench {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Trials that one shard measures together.
struct Portion {
  Numbers trials;
  double seconds = 0;

  void add(const Portion& other) {
    trials.insert(trials.end(), other.trials.begin(), other.trials.end());
    seconds += other.seconds;
  }
};

// The cell without the fields that may differ between compared primitives, because limits depend on
// the primitive. GROUP in scripts/commands/analysis/cells.py lists the same fields.
std::string group_key(Cell cell) {
  cell.primitive = {};
  cell.warmup = cell.window = cell.stall_limit = cell.time_limit = Nanoseconds{0};
  cell.watch_conflicts = cell.count_events = false;
  return to_json(cell);
}

std::vector<Portion> units_by(const Plan& plan, const Numbers& key_of,
                              const TrialSeconds& seconds) {
  std::map<std::uint32_t, Portion> units;
  for (const Trial& trial : plan.trials) {
    units[key_of[trial.number]].add({{trial.number}, seconds(trial)});
  }
  std::vector<Portion> found;
  for (auto& [key, unit] : units) found.push_back(std::move(unit));
  return found;
}

// Divides one plan into any number of shards.
class Divider {
 public:
  Divider(const Plan& plan, const TrialSeconds& seconds) {
    Numbers block_of;
    for (const Trial& trial : plan.trials) block_of.push_back(trial.block);
    blocks_ = units_by(plan, block_of, seconds);
    groups_ = units_by(plan, comparison_groups(plan), seconds);
    for (const Portion& group : groups_) block_of_group_.push_back(block_of[group.trials[0]]);
  }

  std::size_t blocks() const { return blocks_.size(); }
  std::size_t groups() const { return groups_.size(); }

  std::vector<Portion> shards(std::uint32_t n) const {
    std::vector<Portion> shards(n);
    const std::size_t each = blocks_.size() / n;
    for (std::size_t i = 0; i < each * n; ++i) shards[i / each].add(blocks_[i]);
    std::vector<const Portion*> rest;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (block_of_group_[i] >= each * n) rest.push_back(&groups_[i]);
    }
    distribute(rest, shards);
    for (Portion& shard : shards) std::sort(shard.trials.begin(), shard.trials.end());
    return shards;
  }

 private:
  // Distributes the longest portions first, each to the shard with the least work; if several have
  // the least, to the first one.
  static void distribute(std::vector<const Portion*> rest, std::vector<Portion>& shards) {
    std::stable_sort(rest.begin(), rest.end(),
                     [](const Portion* a, const Portion* b) { return a->seconds > b->seconds; });
    using Load = std::pair<double, std::size_t>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
    for (std::size_t i = 0; i < shards.size(); ++i) least.emplace(shards[i].seconds, i);
    for (const Portion* unit : rest) {
      const std::size_t index = least.top().second;
      least.pop();
      shards[index].add(*unit);
      least.emplace(shards[index].seconds, index);
    }
  }

  std::vector<Portion> blocks_;
  std::vector<Portion> groups_;
  Numbers block_of_group_;
};

// By what share the longest shard exceeds the shortest; absent if a shard has no trial.
std::optional<double> spread_of(const std::vector<Portion>& shards) {
  const auto [least, most] =
      std::minmax_element(shards.begin(), shards.end(), [](const Portion& a, const Portion& b) {
        return a.trials.empty() != b.trials.empty() ? a.trials.empty() : a.seconds < b.seconds;
      });
  if (least->trials.empty()) return std::nullopt;
  return least->seconds > 0 ? most->seconds / least->seconds - 1 : 0;
}

bool is_even(const std::vector<Portion>& shards) {
  const std::optional<double> spread = spread_of(shards);
  return spread && *spread <= kShardTolerance;
}

absl::Status cannot_divide(const Divider& divider, std::uint32_t n,
                           const std::optional<double>& spread) {
  const std::string why = spread ? absl::StrFormat(
                                       "the longest would take %.0f %% longer than the shortest "
                                       "(maximum %.0f %%)",
                                       100 * *spread, 100 * kShardTolerance)
                                 : "there are fewer comparison groups than shards";
  std::uint32_t fewer =
      std::min<std::uint32_t>(n, static_cast<std::uint32_t>(divider.groups()) + 1);
  do {
    --fewer;
  } while (fewer > 1 && !is_even(divider.shards(fewer)));
  return absl::InvalidArgumentError(absl::StrFormat(
      "%d shards are too many for this plan of %d block%s and %d comparison groups: %s; at most %d "
      "make sense, or add blocks (--blocks)",
      n, divider.blocks(), divider.blocks() == 1 ? "" : "s", divider.groups(), why, fewer));
}

}  // namespace

std::string to_text(const Shard& shard) {
  return absl::StrFormat("%d/%d", shard.index, shard.of);
}

absl::StatusOr<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view after = text.substr(std::min(slash + 1, text.size()));
  const std::uint32_t index = parse_number<std::uint32_t>(text.substr(0, slash)).value_or(0);
  const std::uint32_t of = parse_number<std::uint32_t>(after).value_or(0);
  if (index < 1 || index > of || of > Shard::kMost) {
    return absl::InvalidArgumentError(
        absl::StrFormat("'%s' is no shard; write i/n, as 3/8, with i from 1 to n and n up to %d",
                        text, Shard::kMost));
  }
  return Shard{.index = index, .of = of};
}

std::vector<std::uint32_t> comparison_groups(const Plan& plan) {
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> known;
  Numbers groups;
  for (const Trial& trial : plan.trials) {
    const auto next = static_cast<std::uint32_t>(known.size());
    groups.push_back(known.try_emplace({trial.block, group_key(trial.cell)}, next).first->second);
  }
  return groups;
}

absl::StatusOr<std::vector<std::uint32_t>> trials_of_shard(const Plan& plan, const Shard& shard,
                                                           const TrialSeconds& seconds) {
  const Divider divider(plan, seconds);
  std::vector<Portion> shards = divider.shards(shard.of);
  if (!is_even(shards)) return cannot_divide(divider, shard.of, spread_of(shards));
  return std::move(shards[shard.index - 1].trials);
}

}  // namespace lockbench
