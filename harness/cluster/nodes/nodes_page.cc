// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/nodes/nodes_page.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/bench/command/doctor/diagnosis.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/record/machine_identity.h"
#include "harness/bench/record/meta.h"

namespace lockbench {
namespace {

using Names = std::vector<std::string>;
using Json = nlohmann::ordered_json;

// The maximum of names, and of different texts of one finding, in a line of text; the rest is
// counted.
constexpr std::size_t kMostNames = 8;
constexpr std::size_t kMostTexts = 4;

std::string list_of(const Names& names) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames));
  std::string text = absl::StrJoin(names.begin(), names.begin() + shown, ", ");
  if (names.size() > kMostNames) text += absl::StrFormat(" and %d more", names.size() - kMostNames);
  return printable(text);
}

// Adds a node to the first group that it does not differ from. `differences(i)`: from the first
// node of group i.
template <class Differences>
void add_to(std::vector<NodeGroup>& groups, const std::string& name, Differences&& differences) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!differences(i).empty()) continue;
    groups[i].nodes.push_back(name);
    return;
  }
  groups.push_back({.nodes = {name}, .differences = {}});
}

const DoctorReport& report_of(const std::vector<NodeAnswer>& nodes, const std::string& name) {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const NodeAnswer& node) { return node.name == name; });
  return *found->report;
}

// Groups the nodes. `differences(a, b)` compares two reports. The largest group comes first.
template <class Differences>
std::vector<NodeGroup> grouped(const std::vector<NodeAnswer>& nodes, Differences&& differences) {
  std::vector<NodeGroup> groups;
  std::vector<const DoctorReport*> firsts;
  for (const NodeAnswer& node : nodes) {
    if (!node.report) continue;
    add_to(groups, node.name, [&](std::size_t i) { return differences(*firsts[i], *node.report); });
    if (groups.size() > firsts.size()) firsts.push_back(&*node.report);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const NodeGroup& a, const NodeGroup& b) {
    return a.nodes.size() > b.nodes.size();
  });
  for (std::size_t i = 1; i < groups.size(); ++i) {
    groups[i].differences =
        differences(report_of(nodes, groups[0].nodes[0]), report_of(nodes, groups[i].nodes[0]));
  }
  return groups;
}

std::vector<Names> on_one_machine(const std::vector<NodeAnswer>& nodes) {
  std::map<std::string, Names> by_boot;
  for (const NodeAnswer& node : nodes) {
    if (node.report && node.report->machine.boot_id) {
      by_boot[*node.report->machine.boot_id].push_back(node.name);
    }
  }
  std::vector<Names> found;
  for (auto& [boot, names] : by_boot) {
    if (names.size() > 1) found.push_back(std::move(names));
  }
  return found;
}

// The number of the group that contains the node, from 1; 0: none.
std::size_t kind_of(const NodesSummary& summary, const std::string& name) {
  for (std::size_t i = 0; i < summary.kinds.size(); ++i) {
    const Names& nodes = summary.kinds[i].nodes;
    if (std::find(nodes.begin(), nodes.end(), name) != nodes.end()) return i + 1;
  }
  return 0;
}

std::string or_unknown(const std::optional<std::uint32_t>& number) {
  return number ? std::to_string(*number) : "?";
}

Names cells_of(const NodesSummary& summary, const NodeAnswer& node) {
  if (!node.report) return {printable(node.name), "-", "no answer"};
  const Machine& machine = node.report->machine;
  return {printable(node.name),
          std::to_string(kind_of(summary, node.name)),
          problems_and_notes(node.report->findings),
          or_unknown(machine.usable_threads) + " of " + or_unknown(machine.hardware_threads),
          printable(machine.kernel.value_or("unknown")),
          printable(machine.cpu_model.value_or("unknown"))};
}

std::string table(const std::vector<Names>& rows) {
  std::vector<std::size_t> widths;
  for (const Names& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Names& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += row[i] + std::string(widths[i] + 2 - row[i].size(), ' ');
    }
    text += row.back() + '\n';
  }
  return text;
}

std::string table_of(const NodesSummary& summary) {
  std::vector<Names> rows{{"node", "kind", "findings", "processors", "kernel", "CPU"}};
  for (const NodeAnswer& node : summary.nodes) rows.push_back(cells_of(summary, node));
  return table(rows);
}

std::string without_answer(const NodesSummary& summary) {
  std::string text;
  for (const NodeAnswer& node : summary.nodes) {
    if (node.report) continue;
    text += '\n' + finding_text({.severity = Severity::kProblem,
                                 .name = {},
                                 .what = printable(node.name) + " did not answer",
                                 .effect = node.trouble,
                                 .fix = "wait for it or repair it, or leave it out"});
  }
  return text;
}

std::string kinds_of_machines(const NodesSummary& summary) {
  if (summary.kinds.size() < 2) return {};
  std::string text = "\nkind 1: " + list_of(summary.kinds[0].nodes) + '\n';
  for (std::size_t i = 1; i < summary.kinds.size(); ++i) {
    text += absl::StrFormat("kind %d: %s\n        differs in %s\n", i + 1,
                            list_of(summary.kinds[i].nodes),
                            printable(absl::StrJoin(summary.kinds[i].differences, "; ")));
  }
  return text;
}

std::string builds_and_twins(const NodesSummary& summary) {
  std::string text;
  for (std::size_t i = 1; i < summary.builds.size(); ++i) {
    const NodeGroup& other = summary.builds[i];
    text += '\n' + finding_text({.severity = Severity::kProblem,
                                 .name = {},
                                 .what = "another build on " + list_of(other.nodes),
                                 .effect = "`lockbench merge` refuses shards of two builds; " +
                                           printable(absl::StrJoin(other.differences, "; ")) + ".",
                                 .fix = "use one binary on a shared file system, or one package"});
  }
  for (const Names& names : summary.same) {
    text +=
        '\n' + finding_text({.severity = Severity::kProblem,
                             .name = {},
                             .what = list_of(names) + " are one machine",
                             .effect = "Their kernel has one boot id. Shards that run there at the "
                                       "same time disturb each other.",
                             .fix = "use one of them"});
  }
  return text;
}

// A finding that several nodes have with the same effect and fix.
struct SharedFinding {
  Finding finding;
  std::vector<std::pair<std::string, Names>> texts;  // its text, and the nodes with that text
};

std::vector<SharedFinding> shared_findings(const NodesSummary& summary) {
  std::vector<SharedFinding> shared;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> indices;
  for (const NodeAnswer& node : summary.nodes) {
    if (!node.report) continue;
    for (const Finding& finding : node.report->findings) {
      if (finding.severity == Severity::kFine) continue;
      const auto [found, fresh] =
          indices.try_emplace({finding.name, finding.effect, finding.fix}, shared.size());
      if (fresh) shared.push_back({.finding = finding, .texts = {}});
      auto& texts = shared[found->second].texts;
      auto text = std::find_if(texts.begin(), texts.end(),
                               [&](const auto& one) { return one.first == finding.what; });
      if (text == texts.end()) text = texts.insert(text, {finding.what, {}});
      text->second.push_back(node.name);
    }
  }
  std::stable_sort(shared.begin(), shared.end(), [](const auto& a, const auto& b) {
    return a.finding.severity > b.finding.severity;
  });
  return shared;
}

std::string findings_of(const NodesSummary& summary) {
  std::string text;
  for (const SharedFinding& one : shared_findings(summary)) {
    Names parts;
    for (const auto& [what, names] : one.texts) {
      if (parts.size() == kMostTexts) break;
      parts.push_back(printable(what) + " (" + list_of(names) + ")");
    }
    std::string what = absl::StrJoin(parts, "; ");
    if (one.texts.size() > kMostTexts) {
      what += absl::StrFormat("; %d more such figures", one.texts.size() - kMostTexts);
    }
    text += '\n' + finding_text({.severity = one.finding.severity,
                                 .name = one.finding.name,
                                 .what = what,
                                 .effect = printable(one.finding.effect),
                                 .fix = printable(one.finding.fix)});
  }
  return text;
}

std::string to_do(const NodesSummary& summary, const std::string& submit) {
  Names steps;
  if (!summary.silent.empty()) {
    steps.push_back("see why there is no answer from " + list_of(summary.silent) +
                    ", or leave out what does not answer");
  }
  if (summary.builds.size() > 1) steps.emplace_back("install one build of lockbench everywhere");
  if (!summary.same.empty()) steps.emplace_back("use each machine once");
  if (!summary.disturbed.empty()) {
    steps.push_back("fix the problems on " + list_of(summary.disturbed));
  }
  std::string text = steps.empty() ? "nothing has to be fixed; " + submit
                                   : absl::StrJoin(steps, "; ") + "; then ask again";
  if (summary.kinds.size() > 1) {
    text += absl::StrFormat(
        "; %d kinds of machine are compared side by side, never mixed: give "
        "each enough blocks, or choose one kind",
        summary.kinds.size());
  }
  return text;
}

Json groups_json(const std::vector<NodeGroup>& groups) {
  Json list = Json::array();
  for (const NodeGroup& group : groups) {
    list.push_back({{"nodes", group.nodes}, {"differences", group.differences}});
  }
  return list;
}

}  // namespace

NodesSummary summarized(std::vector<NodeAnswer> answers) {
  NodesSummary summary;
  for (NodeAnswer& answer : answers) {
    if (answer.not_eligible) {
      summary.not_eligible.push_back(answer.name);
      continue;
    }
    if (!answer.report) {
      summary.silent.push_back(answer.name);
    } else if (number_of(answer.report->findings, Severity::kProblem) > 0) {
      summary.disturbed.push_back(answer.name);
    }
    summary.nodes.push_back(std::move(answer));
  }
  summary.kinds = grouped(summary.nodes, [](const DoctorReport& a, const DoctorReport& b) {
    return condition_differences(a.machine, b.machine);
  });
  summary.builds = grouped(summary.nodes, [](const DoctorReport& a, const DoctorReport& b) {
    std::string difference = build_difference(a.build, b.build);
    return difference.empty() ? Names{} : Names{std::move(difference)};
  });
  summary.same = on_one_machine(summary.nodes);
  return summary;
}

std::string nodes_text(const NodesSummary& summary, const std::string& submit) {
  std::string text =
      absl::StrFormat("%d of %s answered", summary.nodes.size() - summary.silent.size(),
                      counted(summary.nodes.size(), "node"));
  if (!summary.kinds.empty()) text += ": " + counted(summary.kinds.size(), "kind") + " of machine";
  text += ".\n\n";
  text += table_of(summary) + kinds_of_machines(summary);
  if (!summary.not_eligible.empty()) {
    text += "\nWithout the features of --constraint: " + list_of(summary.not_eligible) + '\n';
  }
  return text + without_answer(summary) + builds_and_twins(summary) + findings_of(summary) +
         "\nTo do: " + to_do(summary, submit) + '\n';
}

std::string nodes_json(const NodesSummary& summary, const std::string& submit) {
  Json nodes = Json::array();
  for (const NodeAnswer& node : summary.nodes) {
    Json object{{"node", node.name}};
    if (node.report) {
      object["kind"] = kind_of(summary, node.name);
      object.update(Json::parse(doctor_json(*node.report)));
    } else {
      object["trouble"] = node.trouble;
    }
    nodes.push_back(std::move(object));
  }
  const Json whole{{"nodes", std::move(nodes)},
                   {"kinds", groups_json(summary.kinds)},
                   {"builds", groups_json(summary.builds)},
                   {"same_machine", summary.same},
                   {"not_eligible", summary.not_eligible},
                   {"to_do", to_do(summary, submit)}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

int exit_code_of(const NodesSummary& summary) {
  const bool found =
      !summary.disturbed.empty() || summary.builds.size() > 1 || !summary.same.empty();
  if (found) return kFound;
  return summary.silent.empty() ? kSuccess : kCouldNotFinish;
}

}  // namespace lockbench
