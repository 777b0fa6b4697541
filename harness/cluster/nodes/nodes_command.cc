// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/nodes/nodes_command.h"

#include <ostream>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/shell_command.h"
#include "harness/bench/record/meta.h"
#include "harness/cluster/nodes/ask_nodes.h"
#include "harness/cluster/nodes/node_answers.h"
#include "harness/cluster/nodes/nodes_page.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench doctor";

std::string submit_command_of(const NodesOptions& options, std::size_t nodes) {
  std::vector<std::string> words{"lockbench", "submit", options.nodes, "PRESET"};
  if (options.hosts) {
    words.insert(words.end(), {"--hosts", options.hosts->string()});
  } else {
    words.insert(words.end(), {"--shards", std::to_string(nodes)});
  }
  const auto add = [&words](const char* flag, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {flag, value});
  };
  add("--partition", options.partition);
  add("--constraint", options.constraint);
  add("--node-program", options.node_program);
  return shell_command(words);
}

}  // namespace

int examine_nodes(const NodesOptions& options, std::ostream& out, std::ostream& err) {
  note_signals();
  const std::string program =
      options.node_program.empty() ? main_program().string() : options.node_program;
  absl::StatusOr<std::vector<NodeAnswer>> answers =
      options.nodes == "slurm"
          ? ask_slurm(program, {.partition = options.partition, .constraint = options.constraint})
          : ask_hosts(program, *options.hosts);
  if (!answers.ok()) {
    return complain(err, kWho, answers.status(),
                    absl::IsInternal(answers.status()) ? kCouldNotFinish : kBadInput);
  }
  const NodesSummary summary = summarized(*std::move(answers));
  if (summary.nodes.empty()) {
    return complain(err, kWho,
                    "--constraint: no node has the features '" + options.constraint +
                        "'; name those that sinfo --format=%f lists");
  }
  const std::string submit = submit_command_of(options, summary.nodes.size());
  out << (options.json ? nodes_json(summary, submit) : nodes_text(summary, submit));
  return exit_code_of(summary);
}

}  // namespace lockbench
