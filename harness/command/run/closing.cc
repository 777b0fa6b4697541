// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/closing.h"

#include <algorithm>
#include <set>

#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/command/run/readable.h"
#include "harness/plan/describe.h"
#include "harness/plan/spelling.h"
#include "harness/record/meta.h"
#include "harness/record/schema.h"

namespace lockbench {
namespace {

// Two screens: who wants more reads the report.
constexpr std::size_t kMostLines = 48;

constexpr const char* kLevelMark = " ≈";
constexpr const char* kUnfairMark = " !";

using Kind = SectionColumn::Kind;

std::string figure(const std::optional<double>& value) {
  return value ? figure_text(*value) : std::string();
}

std::string readable_figure(double value, Metric metric) {
  if (metric == Metric::kRate) return readable_count(value) + "/s";
  return readable_ns(metric == Metric::kMakespan ? value * 1e9 : value);
}

std::string metric_name(Metric metric) {
  if (metric == Metric::kRate) return "operations_per_s";
  return metric == Metric::kMakespan ? "makespan_s" : "wait_p99_ns";
}

std::string metric_heading(Metric metric) {
  if (metric == Metric::kRate) return "rate";
  return metric == Metric::kMakespan ? "makespan" : "p99 wait";
}

// The description without the primitive that is not there.
std::string title_of(const Cell& cell) {
  return describe(cell).substr(2);
}

std::vector<SectionColumn> columns_of(Metric metric) {
  return {
      {.name = "primitive", .heading = "primitive"},
      {.name = "workload"},
      {.name = "mode"},
      {.name = "threads", .kind = Kind::kFigure},
      {.name = "keys", .kind = Kind::kFigure},
      {.name = "key_type"},
      {.name = "key_distribution"},
      {.name = "hold"},
      {.name = "think"},
      {.name = "metric"},
      {.name = "median", .heading = metric_heading(metric), .kind = Kind::kFigure},
      {.name = "median_low", .kind = Kind::kFigure},
      {.name = "median_high", .kind = Kind::kFigure},
      {.name = "ratio", .heading = "ratio", .kind = Kind::kFigure, .expendable = 1},
      {.heading = "interval", .kind = Kind::kFigure, .expendable = 2},
      {.name = "ratio_low", .kind = Kind::kFigure},
      {.name = "ratio_high", .kind = Kind::kFigure},
      {.name = "confidence", .kind = Kind::kFigure},
      {.name = "longest_wait_ns", .heading = "max wait", .kind = Kind::kFigure, .expendable = 3},
      {.name = "fairness_jain", .kind = Kind::kFigure},
      {.name = "unfair"},
      {.name = "lock_bytes", .kind = Kind::kFigure},
      {.name = "level_with_first"},
      {.name = "baseline"},
      {.name = "blocks", .kind = Kind::kFigure},
      {.name = "blocks_planned", .kind = Kind::kFigure},
  };
}

bool is_baseline(const CellGroup& group, const Standing& standing) {
  return group.baseline == standing.primitive;
}

SectionEntry ratio_entry(const CellGroup& group, const Standing& standing) {
  if (is_baseline(group, standing)) return {.text = "baseline", .value = "1"};
  return {.text = standing.ratio ? readable_ratio(*standing.ratio) : "",
          .value = figure(standing.ratio)};
}

// Of the ratio where there is one, else how far the median's own goes around it.
std::string interval_text(const CellGroup& group, const Standing& standing) {
  const bool own = is_baseline(group, standing) || !standing.ratio;
  const std::optional<MedianInterval>& interval =
      own ? standing.median_interval : standing.ratio_interval;
  if (!interval) return "";
  const double unit = own ? *standing.median : 1;
  return readable_digits(interval->low / unit) + "–" + readable_digits(interval->high / unit);
}

std::string marked_primitive(const CellGroup& group, const Standing& standing) {
  const bool first = &standing == &group.standings.front();
  return to_text(standing.primitive) + (standing.level() && !first ? kLevelMark : "");
}

std::string wait_text(const CellGroup& group, const Standing& standing) {
  if (!standing.longest_wait_ns) return "";
  const bool any_unfair = std::any_of(group.standings.begin(), group.standings.end(),
                                      [](const Standing& s) { return !s.unfair.empty(); });
  // Marks stand in a column of their own.
  const std::string mark = !standing.unfair.empty() ? kUnfairMark : any_unfair ? "  " : "";
  return readable_ns(*standing.longest_wait_ns) + mark;
}

SectionRow row_of(const CellGroup& group, const Standing& s) {
  const Cell& cell = group.cell;
  const auto plain = [](const std::string& text) { return SectionEntry{.value = text}; };
  const auto low = [&](const std::optional<MedianInterval>& i) {
    return plain(i ? figure_text(i->low) : "");
  };
  const auto high = [&](const std::optional<MedianInterval>& i) {
    return plain(i ? figure_text(i->high) : "");
  };
  SectionRow row;
  row.best = &s == &group.standings.front() && s.median && group.standings.size() > 1;
  if (s.median) row.bar = s.share;
  row.entries = {
      {.text = marked_primitive(group, s), .value = to_text(s.primitive)},
      plain(to_text(cell.workload)),
      plain(to_text(cell.mode)),
      plain(std::to_string(cell.threads)),
      plain(std::to_string(cell.keys)),
      plain(to_text(cell.key_type)),
      plain(to_text(cell.key_distribution)),
      plain(to_text(cell.hold)),
      plain(to_text(cell.think)),
      plain(metric_name(group.metric)),
      {.text = s.median ? readable_figure(*s.median, group.metric) : "not valid",
       .value = figure(s.median)},
      low(s.median_interval),
      high(s.median_interval),
      ratio_entry(group, s),
      {.text = interval_text(group, s)},
      low(s.ratio_interval),
      high(s.ratio_interval),
      plain(s.median_interval ? figure_text(s.median_interval->confidence) : ""),
      {.text = wait_text(group, s), .value = figure(s.longest_wait_ns)},
      plain(figure(s.fairness_jain)),
      plain(s.unfair),
      plain(figure(s.lock_bytes)),
      plain(s.level() ? "true" : "false"),
      plain(is_baseline(group, s) ? "true" : "false"),
      plain(std::to_string(s.blocks)),
      plain(std::to_string(s.planned)),
  };
  return row;
}

std::vector<std::string> notes_of(const CellGroup& group) {
  std::vector<std::string> notes;
  for (const Standing& s : group.standings) {
    if (!s.unfair.empty()) notes.push_back("! " + to_text(s.primitive) + ": " + s.unfair);
    if (s.median && s.blocks < s.planned) {
      notes.push_back(
          absl::StrFormat("%s: %d of %d blocks valid", to_text(s.primitive), s.blocks, s.planned));
    }
  }
  return notes;
}

// "94 %", or "75 % to 94 %" where blocks differ.
std::string confidence_text(const std::set<double>& confidences) {
  // Never 100 %.
  const auto percent = [](double share) {
    return absl::StrFormat("%.*f %%", share < 0.99 ? 0 : 1, 100 * std::min(share, 0.999));
  };
  const std::string least = percent(*confidences.begin());
  const std::string most = percent(*confidences.rbegin());
  return least == most ? least : least + " to " + most;
}

nlohmann::ordered_json json_of(const RunClosing& closing) {
  return {{"run", closing.folder},
          {"trials", closing.tally.trials()},
          {"valid", closing.tally.valid()},
          {"said", closing.tally.text()},
          {"sections", nlohmann::ordered_json::parse(sections_json(closing.sections))}};
}

std::string next_steps(const RunClosing& closing) {
  const auto command = [&closing](const char* name) {
    return shell_command({closing.program, name, closing.folder});
  };
  return "Next: " + command("report") + "    one page\n" +  //
         "      " + command("plot") + "      pictures\n" +  //
         "      " + command("compare") + "   a table\n";
}

}  // namespace

Section standings_section(const CellGroup& group) {
  Section section{.name = "standings",
                  .title = title_of(group.cell),
                  .columns = columns_of(group.metric),
                  .rows = {},
                  .notes = notes_of(group)};
  for (const Standing& standing : group.standings) {
    section.rows.push_back(row_of(group, standing));
  }
  return section;
}

std::vector<std::string> standings_legend(std::span<const CellGroup> groups) {
  std::vector<std::string> legend;
  std::set<double> confidences;
  bool ratios = false;
  bool level = false;
  bool unfair = false;
  for (const CellGroup& group : groups) {
    ratios = ratios || group.baseline;
    for (const Standing& s : group.standings) {
      if (s.median_interval) confidences.insert(s.median_interval->confidence);
      level = level || (s.level() && &s != &group.standings.front());
      unfair = unfair || !s.unfair.empty();
    }
  }
  if (!confidences.empty()) {
    legend.push_back(
        std::string("interval: ") +
        (ratios ? "of the ratio of speeds, block by block; of a baseline, of its own median; "
                : "of the median, as a share of it; ") +
        "covers it with " + confidence_text(confidences) + ", however figures are spread");
  } else {
    legend.push_back("one block tells nothing of the spread: --blocks 6 gives intervals of 95 %");
  }
  if (level) legend.push_back("≈ not told apart from the first");
  if (unfair) legend.push_back("! speed at the price of threads that starve");
  return legend;
}

std::vector<Section> closing_sections(const Plan& plan, std::span<const Measurement> measurements) {
  const std::vector<CellGroup> groups = cell_groups(plan, measurements);
  const std::vector<std::size_t> telling = telling_groups(groups, kMostLines);
  std::vector<Section> sections;
  std::vector<CellGroup> shown;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sections.push_back(standings_section(groups[i]));
    sections.back().telling = std::binary_search(telling.begin(), telling.end(), i);
    if (sections.back().telling) shown.push_back(groups[i]);
  }
  if (shown.empty()) return sections;
  Section legend{.title = "How to read it", .notes = standings_legend(shown)};
  if (shown.size() < groups.size()) {
    legend.notes.push_back(absl::StrFormat(
        "shown: the %d most telling of %d groups of cells; compare and report have all of them",
        shown.size(), groups.size()));
  }
  sections.push_back(std::move(legend));
  return sections;
}

ClosingWords closing_words(const RunClosing& closing, SectionFormat format,
                           const TextStyle& style) {
  const std::string measured = "Measured " + closing.folder + ": " + closing.tally.text() + "\n";
  if (format == SectionFormat::kText) {
    const std::string tables = sections_text(closing.sections, style);
    return {.out = measured + (tables.empty() ? "" : "\n" + tables + "\n") + next_steps(closing),
            .err = {}};
  }
  ClosingWords words{.out = {}, .err = measured + next_steps(closing)};
  if (format == SectionFormat::kJson) {
    words.out =
        json_of(closing).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  } else if (format == SectionFormat::kCsv) {
    words.out = sections_csv(closing.sections);
  } else {
    words.out = sections_markdown(closing.sections);
  }
  return words;
}

}  // namespace lockbench
