// SPDX-License-Identifier: Apache-2.0

#include "harness/command/advise/advice.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/command/run/closing.h"
#include "harness/command/run/readable.h"
#include "harness/plan/quantity.h"
#include "harness/plan/spelling.h"

namespace lockbench {
namespace {

// Doublings that a guess may bridge: four times the threads and as many keys again, say.
constexpr double kFar = 4;

// How far two cells are from each other, in doublings, and in words.
class Distance {
 public:
  void number(std::uint64_t found, std::uint64_t asked, const std::string& thing) {
    if (found == asked) return;
    add(std::abs(std::log2(static_cast<double>(found) / static_cast<double>(asked))),
        readable_plural(found, thing), readable_whole(asked));
  }

  void word(const std::string& found, const std::string& asked, double worth) {
    if (found != asked) add(worth, found, asked);
  }

  void work(const Work& found, const Work& asked, const std::string& name) {
    if (found == asked) return;
    constexpr double kAnotherKind = 4;
    // A hold of nothing still takes as long as the loop around it.
    constexpr double kLoopNs = 50;
    const auto ns = [](const Work& w) { return static_cast<double>(w.duration.count()) + kLoopNs; };
    const bool kind_alike = found.kind == asked.kind || found == Work{} || asked == Work{};
    const double worth = kind_alike && found.kind != Work::Kind::kTouch
                             ? std::abs(std::log2(ns(found) / ns(asked)))
                             : kAnotherKind;
    add(worth, name + " " + to_text(found), to_text(asked));
  }

  double doublings() const { return doublings_; }
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  void add(double doublings, const std::string& found, const std::string& asked) {
    doublings_ += doublings;
    differences_.push_back(found + ", asked " + asked);
  }

  double doublings_ = 0;
  std::vector<std::string> differences_;
};

double apart(const KeyDistribution& a, const KeyDistribution& b) {
  constexpr double kAnotherKind = 3;
  const bool zipf =
      a.kind == KeyDistribution::Kind::kZipf && b.kind == KeyDistribution::Kind::kZipf;
  return zipf ? 4 * std::abs(a.theta - b.theta) : kAnotherKind;
}

Distance distance_of(const Cell& found, const Cell& asked) {
  Distance distance;
  distance.number(found.threads, asked.threads, "thread");
  distance.number(found.keys, asked.keys, "key");
  distance.word(to_text(found.key_distribution), to_text(asked.key_distribution),
                apart(found.key_distribution, asked.key_distribution));
  distance.work(found.hold, asked.hold, "hold");
  distance.work(found.think, asked.think, "think");
  distance.word(to_text(found.key_type), to_text(asked.key_type), 1);
  distance.word(to_text(found.workload), to_text(asked.workload), 2);
  distance.word(to_text(found.mode), to_text(asked.mode), 1);
  return distance;
}

bool competes(const Standing& standing) {
  return standing.median && !is_floor(standing.primitive);
}

bool offers_a_choice(const CellGroup& group) {
  return group.metric != Metric::kWait &&
         std::count_if(group.standings.begin(), group.standings.end(), competes) > 1;
}

// Why a primitive is none for this case; empty if it is one.
std::string ruled_out(const AdviceCase& wanted, const Standing& standing) {
  if (is_floor(standing.primitive)) return "guards nothing: what the work costs by itself";
  if (!standing.median) return "no trial of it was valid";
  if (wanted.memory_bytes) {
    if (!standing.lock_bytes) return "what memory it takes was not measured";
    if (*standing.lock_bytes > static_cast<double>(*wanted.memory_bytes)) {
      return "takes " + readable_bytes(*standing.lock_bytes) + ", more than " +
             exact_bytes(*wanted.memory_bytes);
    }
  }
  if (wanted.fair && !standing.unfair.empty()) return "starves threads: " + standing.unfair;
  return {};
}

const CellGroup* group_of(const Cell& cell, const std::vector<CellGroup>& groups) {
  const Cell wanted = without_primitive(cell);
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const CellGroup& g) { return g.cell == wanted; });
  return found == groups.end() ? nullptr : &*found;
}

// Those of the cells that are as `cell` and of a primitive that is not ruled out.
std::vector<Measurement> admitted(const Cell& cell, const Plan& plan,
                                  std::span<const Measurement> measurements,
                                  const std::set<std::string>& out) {
  std::vector<Measurement> kept;
  for (const Measurement& m : measurements) {
    const Cell& own = plan.trials[m.trial].cell;
    if (without_primitive(own) != without_primitive(cell)) continue;
    if (!out.contains(to_text(own.primitive))) kept.push_back(m);
  }
  return kept;
}

std::string interval_text(const std::optional<MedianInterval>& interval) {
  if (!interval) return "";
  return absl::StrFormat(" (%s–%s)", readable_digits(interval->low),
                         readable_digits(interval->high));
}

std::string reason_of(const CellGroup& group, const Standing& standing, bool level,
                      const Describe& describe) {
  std::string reason;
  if (&standing == &group.standings.front()) {
    reason = "the fastest";
    if (standing.ratio && group.baseline != standing.primitive) {
      reason += ", " + readable_ratio(*standing.ratio) + " " + to_text(*group.baseline) +
                interval_text(standing.ratio_interval);
    }
  } else if (standing.first_ratio) {
    const std::string share =
        readable_ratio(*standing.first_ratio) + interval_text(standing.first_interval);
    reason = level ? "not told apart from the first, " + share + " of its speed"
                   : share + " of the first's speed";
  } else {
    reason = "no block has both it and the first";
  }
  const std::string what = describe(standing.primitive);
  if (!what.empty()) reason += "; " + what;
  if (!standing.unfair.empty()) reason += "; starves threads: " + standing.unfair;
  return reason;
}

std::string answer_of(const Advice& advice) {
  if (!advice.found) return "Nothing that was measured will do";
  std::vector<std::string> level;
  for (const Advised& one : advice.advised) {
    if (one.place > 1 && one.level) level.push_back(one.primitive);
  }
  const std::string first = advice.advised.front().primitive;
  const auto admitted_ones =
      static_cast<std::size_t>(std::count_if(advice.advised.begin(), advice.advised.end(),
                                             [](const Advised& one) { return one.place > 0; }));
  if (admitted_ones == 1) return "Take " + first + ": nothing else will do";
  if (level.empty()) {
    return "Take " + first + ": told apart from the " +
           (admitted_ones == 2 ? "other" : std::to_string(admitted_ones - 1) + " others");
  }
  if (level.size() + 1 == admitted_ones) {
    return "Take any: the " + std::to_string(admitted_ones) + " cannot be told apart here; " +
           first + " came first";
  }
  return "Take " + first + ", or " + absl::StrJoin(level, " or ") +
         ": they cannot be told apart here";
}

double joint_confidence(const CellGroup& group) {
  const auto competing = std::count_if(group.standings.begin(), group.standings.end(), competes);
  return 1 -
         (1 - kUsualConfidence) / static_cast<double>(std::max<std::ptrdiff_t>(1, competing - 1));
}

}  // namespace

std::optional<NearestGroup> nearest_group(const Cell& asked, std::span<const CellGroup> groups) {
  std::optional<NearestGroup> nearest;
  double least = 0;
  for (const CellGroup& group : groups) {
    if (!offers_a_choice(group)) continue;
    const Distance distance = distance_of(group.cell, asked);
    if (nearest && distance.doublings() >= least) continue;
    least = distance.doublings();
    nearest = {
        .group = group, .differences = distance.differences(), .far = distance.doublings() > kFar};
  }
  return nearest;
}

Advice advise(const AdviceCase& wanted, const Cell& cell, const Plan& plan,
              std::span<const Measurement> measurements, const Describe& describe) {
  const std::vector<Measurement> all = admitted(cell, plan, measurements, {});
  std::vector<Advised> out;
  std::set<std::string> names;
  const std::vector<CellGroup> groups = cell_groups(plan, all);
  if (const CellGroup* const group = group_of(cell, groups)) {
    for (const Standing& standing : group->standings) {
      const std::string why = ruled_out(wanted, standing);
      if (why.empty()) continue;
      out.push_back({.primitive = to_text(standing.primitive), .reason = why});
      names.insert(out.back().primitive);
    }
  }
  Advice advice;
  const std::vector<Measurement> kept = admitted(cell, plan, all, names);
  std::vector<CellGroup> rest = cell_groups(plan, kept);
  if (!rest.empty()) {
    advice.group = cell_groups(plan, kept, joint_confidence(rest.front())).front();
    advice.found = true;
    for (const Standing& standing : advice.group.standings) {
      const bool first = advice.advised.empty();
      // Of one block nothing is told.
      const bool level = !first && (standing.level() || !standing.first_interval);
      advice.advised.push_back({.primitive = to_text(standing.primitive),
                                .place = advice.advised.size() + 1,
                                .level = level,
                                .reason = reason_of(advice.group, standing, level, describe)});
    }
  }
  advice.advised.insert(advice.advised.end(), out.begin(), out.end());
  advice.answer = answer_of(advice);
  return advice;
}

std::vector<Section> advice_sections(const Advice& advice) {
  using Kind = SectionColumn::Kind;
  Section answer{.name = "advice",
                 .title = advice.answer,
                 .columns = {{.name = "place", .kind = Kind::kFigure},
                             {.name = "primitive"},
                             {.name = "level_with_first"},
                             {.name = "reason"}}};
  for (const Advised& one : advice.advised) {
    const bool placed = one.place > 0;
    const std::string place = placed ? std::to_string(one.place) : "";
    answer.rows.push_back({.entries = {{.value = place},
                                       {.value = one.primitive},
                                       {.value = one.level ? "true" : "false"},
                                       {.value = one.reason}}});
    answer.notes.push_back((placed ? place + ". " : "– ") + one.primitive + ": " + one.reason);
  }
  std::vector<Section> sections{std::move(answer)};
  if (!advice.found) return sections;
  sections.push_back(standings_section(advice.group));
  sections.push_back(
      {.title = "How to read it", .notes = standings_legend(std::span(&advice.group, 1))});
  return sections;
}

}  // namespace lockbench
