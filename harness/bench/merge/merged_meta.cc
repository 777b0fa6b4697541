// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/merged_meta.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/bench/plan/describe.h"
#include "harness/bench/record/machine_json.h"

namespace lockbench {
namespace {

// Times are recorded to the second, so two consecutive periods may appear to overlap by one.
constexpr std::int64_t kToleratedOverlapS = 1;

std::vector<std::string> texts_of(const std::vector<Period>& periods) {
  std::vector<std::string> texts;
  for (const auto& [first, last] : periods) {
    texts.push_back(iso_of(first) + "/" + iso_of(last));
  }
  return texts;
}

// If a run is in progress or was killed, it has more trials than its meta.json says.
RunPart part_of(const Meta& meta, std::uint32_t trials, const std::vector<Period>& periods) {
  RunEnd end = meta.end;
  end.trials_done = trials;
  return {.run_id = meta.run.run_id,
          .shard = meta.shard,
          .started_at = meta.started_at,
          .command = meta.command,
          .machine = meta.run.machine,
          .calibration = meta.calibration,
          .surroundings = meta.surroundings,
          .end = end,
          .boot_id = meta.machine.boot_id,
          .periods = texts_of(periods)};
}

// The key to sort parts: by shard, then by time.
auto sort_key(const RunPart& part) {
  const Shard shard = part.shard.value_or(Shard{.index = 0, .of = 0});
  return std::tuple(shard.of, shard.index, part.started_at, part.run_id);
}

// True if `a` is a later state of the same run than `b`.
bool is_later(const RunPart& a, const RunPart& b) {
  const auto progress = [](const RunPart& part) {
    return std::tuple(part.end.trials_done, part.end.state == RunEnd::State::kFinished,
                      part.end.wall_s, part.periods.size());
  };
  return progress(a) > progress(b);
}

std::vector<RunPart> parts_of(const std::vector<FoundRun>& runs, const TrialIndex& index) {
  std::map<std::string, RunPart> by_id;
  const auto add = [&by_id](const RunPart& part) {
    const auto [found, fresh] = by_id.try_emplace(part.run_id, part);
    if (!fresh && is_later(part, found->second)) found->second = part;
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Meta& meta = runs[i].meta;
    if (meta.parts) {
      for (const RunPart& part : *meta.parts) add(part);
    } else {
      add(part_of(meta, index.runs()[i].trials, index.runs()[i].periods));
    }
  }
  std::vector<RunPart> parts;
  for (auto& [id, part] : by_id) parts.push_back(std::move(part));
  std::sort(parts.begin(), parts.end(),
            [](const RunPart& a, const RunPart& b) { return sort_key(a) < sort_key(b); });
  return parts;
}

// Each machine once, by id. Descriptions with the same id differ at most by the boot; of these, the
// one with the alphabetically first text is used.
std::vector<Machine> machines_of(const std::vector<FoundRun>& runs) {
  std::map<std::string, std::pair<std::string, Machine>> by_id;
  const auto add = [&by_id](const Machine& machine) {
    std::pair<std::string, Machine> entry(internal::text_of(internal::json_of(machine)), machine);
    const auto [found, fresh] = by_id.try_emplace(machine.id.value_or(""), entry);
    if (!fresh && entry.first < found->second.first) found->second = std::move(entry);
  };
  for (const FoundRun& run : runs) {
    if (run.meta.machines) {
      for (const Machine& machine : *run.meta.machines) add(machine);
    } else {
      add(run.meta.machine);
    }
  }
  std::vector<Machine> machines;
  for (auto& [id, entry] : by_id) machines.push_back(std::move(entry.second));
  return machines;
}

Machine machine_named(const std::vector<Machine>& machines, const std::string& id) {
  const auto found = std::find_if(machines.begin(), machines.end(), [&](const Machine& machine) {
    return machine.id.value_or("") == id;
  });
  return found == machines.end() ? Machine{} : *found;
}

std::string name_of(const RunPart& part) {
  return part.shard ? "shard " + to_text(*part.shard) : "run " + part.run_id;
}

void add_findings(const std::vector<MachineFinding>& from, std::vector<MachineFinding>& to) {
  for (const MachineFinding& finding : from) {
    if (std::find(to.begin(), to.end(), finding) == to.end()) to.push_back(finding);
  }
}

// The surroundings of all parts, so that readers warn about a merged run as about its parts.
std::optional<Surroundings> surroundings_of(const std::vector<RunPart>& parts,
                                            const std::vector<PartOverlap>& overlaps) {
  std::optional<Surroundings> all;
  std::vector<std::string> busy;
  for (const RunPart& part : parts) {
    if (!part.surroundings) continue;
    const Surroundings& its = *part.surroundings;
    if (!all) all = Surroundings{.most_interference = its.most_interference};
    all->patience_s = std::max(all->patience_s, its.patience_s);
    all->waited_s += its.waited_s;
    if (its.busy) busy.push_back(name_of(part) + ": " + *its.busy);
    add_findings(its.at_start, all->at_start);
    add_findings(its.at_end, all->at_end);
  }
  for (const PartOverlap& one : overlaps) {
    busy.push_back(absl::StrFormat("%s measured at the same time on %s for %.0f s",
                                   absl::StrJoin(one.run_ids, " and "), one.machine,
                                   one.overlap_s));
  }
  constexpr std::size_t kMostListed = 4;
  const std::size_t more = busy.size() - std::min(busy.size(), kMostListed);
  busy.resize(busy.size() - more);
  if (more > 0) busy.push_back(absl::StrFormat("%d more, see meta.json", more));
  if (busy.empty()) return all;
  if (!all) all = Surroundings{};
  all->busy = absl::StrJoin(busy, "; ");
  return all;
}

// The id depends only on the parts, so it is unique if theirs are, and equal for every merge of
// them.
std::string merged_run_id(const std::vector<RunPart>& parts, const std::string& preset) {
  std::string ids;
  for (const RunPart& part : parts) ids += part.run_id + "\n";
  std::string name;
  for (const char c : preset.substr(0, 60)) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  }
  return "merged-" + name + "-" + fingerprint(ids);
}

RunEnd end_of(const std::vector<RunPart>& parts, std::uint32_t done, std::size_t planned) {
  RunEnd end{.state = done == planned ? RunEnd::State::kFinished : RunEnd::State::kInterrupted,
             .trials_done = done};
  for (const RunPart& part : parts) end.wall_s += part.end.wall_s;
  return end;
}

// A period in which a part was measured, on one boot of one machine.
struct Measuring {
  Period period;
  std::size_t part = 0;

  bool operator<(const Measuring& other) const {
    return std::tie(period, part) < std::tie(other.period, other.part);
  }
};

std::map<std::string, std::vector<Measuring>> by_boot(const std::vector<RunPart>& parts) {
  std::map<std::string, std::vector<Measuring>> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].boot_id) continue;
    for (const std::string& text : parts[i].periods) {
      const std::size_t slash = std::min(text.find('/'), text.size() - 1);
      found[*parts[i].boot_id].push_back(
          {{seconds_of(text.substr(0, slash)), seconds_of(text.substr(slash + 1))}, i});
    }
  }
  for (auto& [boot, periods] : found) std::sort(periods.begin(), periods.end());
  return found;
}

}  // namespace

std::vector<PartOverlap> overlaps_of(const std::vector<RunPart>& parts) {
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> seconds;
  for (const auto& [boot, periods] : by_boot(parts)) {
    for (std::size_t i = 0; i < periods.size(); ++i) {
      for (std::size_t k = i + 1; k < periods.size(); ++k) {
        if (periods[k].period.first >= periods[i].period.second) break;
        if (periods[k].part == periods[i].part) continue;
        const std::int64_t shared =
            std::min(periods[i].period.second, periods[k].period.second) - periods[k].period.first;
        seconds[std::minmax(periods[i].part, periods[k].part)] += shared;
      }
    }
  }
  std::vector<PartOverlap> overlaps;
  for (const auto& [pair, shared] : seconds) {
    if (shared <= kToleratedOverlapS) continue;
    const RunPart& one = parts[pair.first];
    const RunPart& other = parts[pair.second];
    overlaps.push_back({.machine = one.machine,
                        .run_ids = {one.run_id, other.run_id},
                        .overlap_s = static_cast<double>(shared)});
  }
  return overlaps;
}

Meta merged_meta(const std::vector<FoundRun>& runs, const TrialIndex& index, Plan plan,
                 std::uint32_t done) {
  const Meta& any = runs.front().meta;
  std::vector<RunPart> parts = parts_of(runs, index);
  std::vector<Machine> machines = machines_of(runs);
  const RunPart& first = parts.front();
  const bool one_machine = std::all_of(parts.begin(), parts.end(), [&](const RunPart& part) {
    return part.machine == first.machine;
  });
  Meta meta{.run = any.run,
            .started_at = std::min_element(parts.begin(), parts.end(),
                                           [](const RunPart& a, const RunPart& b) {
                                             return a.started_at < b.started_at;
                                           })
                              ->started_at,
            .command = first.command,
            .machine = machine_named(machines, first.machine),
            .build = any.build,
            .plugins = any.plugins,
            .calibration = one_machine ? first.calibration : std::nullopt,
            .end = end_of(parts, done, plan.trials.size())};
  meta.run.run_id = merged_run_id(parts, any.run.preset);
  meta.run.machine = first.machine;
  std::vector<PartOverlap> overlaps = overlaps_of(parts);
  meta.surroundings = surroundings_of(parts, overlaps);
  if (!overlaps.empty()) meta.overlaps = std::move(overlaps);
  meta.machines = std::move(machines);
  meta.parts = std::move(parts);
  meta.plan = std::move(plan);
  return meta;
}

}  // namespace lockbench
