// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/nodes/ask_nodes.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/printable.h"
#include "harness/base/quantity.h"
#include "harness/base/shell_command.h"
#include "harness/bench/record/meta.h"
#include "harness/cluster/submit/job_engines.h"

namespace lockbench {
namespace {

using std::chrono::seconds;

// The number of nodes that run doctor at the same time, and the limits for each: the time until the
// node is allocated, and the time until it answers, which takes a few seconds.
constexpr int kAtOnce = 32;
constexpr seconds kToAllocate{30};
constexpr seconds kToAnswer{60};

// The messages of salloc for a node that cannot have the job now or later: this node lacks the
// features, or all nodes do.
constexpr std::array<std::string_view, 2> kNotEligible{
    "Requested node configuration is not available", "Invalid feature specification"};

constexpr char kNeedsFolder[] = ": \"${TMPDIR:?has no place for temporary files}\"\n";

seconds within(std::size_t nodes) {
  const auto waves = static_cast<int>((nodes + kAtOnce - 1) / kAtOnce);
  return kEngineAnswersWithin + waves * (kToAllocate + kToAnswer);
}

std::string doctor_command_of(const std::string& program) {
  return shell_command({program, "doctor", "--format", "json"});
}

}  // namespace

namespace internal {

std::vector<SlurmNode> parse_sinfo(std::string_view text, bool any_partition) {
  std::vector<SlurmNode> nodes;
  for (const std::string_view line : split(text, '\n')) {
    std::array<std::string, 4> fields;  // the last one may contain the separator
    std::string_view rest = line;
    for (std::string& field : fields) {
      const bool last = &field == &fields.back();
      const std::size_t end = last ? rest.size() : std::min(rest.find('|'), rest.size());
      field = rest.substr(0, end);
      rest = rest.substr(std::min(end + 1, rest.size()));
    }
    auto& [name, partition, state, reason] = fields;
    if (name.empty() || (!any_partition && !partition.ends_with('*'))) continue;
    const bool known = std::any_of(nodes.begin(), nodes.end(),
                                   [&](const SlurmNode& node) { return node.name == name; });
    if (known) continue;
    nodes.push_back({.name = name, .state = state, .reason = reason == "none" ? "" : reason});
  }
  return nodes;
}

void add_states(const std::vector<SlurmNode>& nodes, const SlurmSelection& selection,
                std::vector<NodeAnswer>& answers) {
  for (const SlurmNode& node : nodes) {
    const auto found = std::find_if(answers.begin(), answers.end(), [&](const NodeAnswer& answer) {
      return answer.name == node.name;
    });
    NodeAnswer& answer = found != answers.end()
                             ? *found
                             : answers.emplace_back(NodeAnswer{
                                   .name = node.name, .report = {}, .trouble = "it was not asked"});
    if (answer.report) continue;
    answer.not_eligible =
        !selection.constraint.empty() &&
        std::any_of(kNotEligible.begin(), kNotEligible.end(), [&](std::string_view refusal) {
          return answer.trouble.find(refusal) != std::string::npos;
        });
    const std::string why = node.reason.empty() ? "" : " (" + printable(node.reason) + ")";
    answer.trouble += absl::StrFormat("; Slurm calls it %s%s", printable(node.state), why);
  }
}

void sort_as(const std::vector<std::string>& lines, std::vector<NodeAnswer>& answers) {
  const auto position = [&lines](const NodeAnswer& answer) {
    return std::find_if(lines.begin(), lines.end(),
                        [&](const std::string& line) { return line.ends_with(answer.name); });
  };
  std::stable_sort(answers.begin(), answers.end(), [&](const NodeAnswer& a, const NodeAnswer& b) {
    return position(a) < position(b);
  });
}

void shorten_names(std::vector<NodeAnswer>& answers) {
  const auto short_name = [](const std::string& name) { return name.substr(name.rfind(' ') + 1); };
  std::set<std::string> names;
  for (const NodeAnswer& answer : answers) names.insert(short_name(answer.name));
  if (names.size() < answers.size()) return;
  for (NodeAnswer& answer : answers) answer.name = short_name(answer.name);
}

std::string slurm_doctor_script(const std::string& program, const SlurmSelection& selection) {
  std::vector<std::string> salloc{
      "salloc", "--quiet", "--job-name=lockbench-doctor", "--nodes=1", "--exclusive",
      absl::StrFormat("--immediate=%d", kToAllocate.count()),
      // For an allocation that this program could not release because it was killed.
      absl::StrFormat("--time=%d", kToAnswer.count() / 60 + 1)};
  if (!selection.partition.empty()) salloc.push_back("--partition=" + selection.partition);
  if (!selection.constraint.empty()) salloc.push_back("--constraint=" + selection.constraint);
  const std::string task = "exec " + srun_of_task("\"$SLURM_JOB_CPUS_PER_NODE\"") + " timeout " +
                           std::to_string(kToAnswer.count()) + " " + doctor_command_of(program);
  const std::string ask = shell_command(salloc) + " --nodelist=\"$1\" sh -c " +
                          shell_command({task}) +
                          " </dev/null >\"$TMPDIR/$1.out\" 2>\"$TMPDIR/$1.err\"\n"
                          "echo $? >\"$TMPDIR/$1.end\"";
  return std::string(kNeedsFolder) + "cat >\"$TMPDIR/nodes\"\n" +
         absl::StrFormat("xargs -P %d -I {} sh -c %s ask {} <\"$TMPDIR/nodes\"\n", kAtOnce,
                         shell_command({ask})) +
         "while read -r node; do\n"
         "  for kind in out err end; do\n"
         "    awk -v from=\"$kind\\t$node\\t\" '{ print from $0 }' \"$TMPDIR/$node.$kind\"\n"
         "  done\n"
         "done <\"$TMPDIR/nodes\"\n"
         "exit 0\n";
}

std::string parallel_doctor_script(const std::string& program, const std::filesystem::path& hosts) {
  // A password cannot be entered here. A line of the file may name its own ssh command.
  return kNeedsFolder +
         absl::StrFormat(
             ": \"${PARALLEL_SSH:=ssh -o BatchMode=yes -o ConnectTimeout=%d}\"\n"
             "export PARALLEL_SSH\n"
             "parallel --will-cite --nonall --tag --jobs %d --timeout %d --joblog "
             "\"$TMPDIR/joblog\" \\\n"
             "  --sshloginfile %s %s </dev/null 2>\"$TMPDIR/err\" | awk '{ print \"out\\t\" $0 }'\n"
             // ssh also ends its lines with a carriage return.
             "tr '\\r' '\\n' <\"$TMPDIR/err\" | awk '{ print \"err\\t\" $0 }'\n"
             "awk -F'\\t' 'NR > 1 { print \"end\\t\" $2 \"\\t\" $7 }' \"$TMPDIR/joblog\"\n"
             "exit 0\n",
             kToAllocate.count(), kAtOnce, kToAnswer.count(), shell_command({hosts.string()}),
             shell_command({doctor_command_of(program)}));
}

}  // namespace internal

absl::StatusOr<std::vector<NodeAnswer>> ask_slurm(const std::string& program,
                                                  const SlurmSelection& selection) {
  std::vector<std::string> sinfo{"sinfo", "--Node", "--noheader", "--format=%N|%P|%T|%E"};
  if (!selection.partition.empty()) sinfo.push_back("--partition=" + selection.partition);
  const absl::StatusOr<std::string> listed = output_of(sinfo);
  if (!listed.ok()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s; call it on a node that has Slurm", listed.status().message()));
  }
  const std::vector<SlurmNode> nodes = internal::parse_sinfo(*listed, !selection.partition.empty());
  if (nodes.empty()) {
    return absl::InvalidArgumentError(
        selection.partition.empty()
            ? "--partition: not given, and Slurm has no default one; name one that sinfo lists"
            : absl::StrFormat("--partition: '%s' has no node; name one that sinfo lists",
                              selection.partition));
  }
  std::string names;
  for (const SlurmNode& node : nodes) names += node.name + "\n";
  const absl::StatusOr<std::string> said =
      output_of({"sh", "-c", internal::slurm_doctor_script(program, selection)},
                within(nodes.size()), std::move(names));
  if (!said.ok()) return absl::InternalError(said.status().message());
  std::vector<NodeAnswer> answers = parse_answers(*said);
  internal::add_states(nodes, selection, answers);
  return answers;
}

absl::StatusOr<std::vector<NodeAnswer>> ask_hosts(const std::string& program,
                                                  const std::filesystem::path& hosts) {
  const absl::StatusOr<std::vector<std::string>> named = hosts_in(hosts);
  if (!named.ok()) return named.status();
  const absl::Status there = check_for_parallel("install it here");
  if (!there.ok()) return there;
  const std::filesystem::path file = std::filesystem::absolute(hosts);
  const absl::StatusOr<std::string> said = output_of(
      {"sh", "-c", internal::parallel_doctor_script(program, file)}, within(named->size()));
  if (!said.ok()) return absl::InternalError(said.status().message());
  std::vector<NodeAnswer> answers = parse_answers(*said);
  internal::sort_as(*named, answers);
  internal::shorten_names(answers);
  if (!answers.empty()) return answers;
  return absl::InternalError(
      absl::StrFormat("parallel asked none of the %d hosts of %s; try: parallel --nonall "
                      "--sshloginfile %s true",
                      named->size(), hosts.string(), hosts.string()));
}

}  // namespace lockbench
