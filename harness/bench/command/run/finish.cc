// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/finish.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/base/exit_code.h"
#include "harness/base/median.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/record/meta.h"
#include "harness/process/analysis_command.h"
#include "harness/process/signals.h"

namespace lockbench {

namespace {

std::optional<double> figure_of(Mode mode, const Measurement& measurement) {
  if (mode == Mode::kFixed) return measurement.makespan_s;
  return mode == Mode::kOpen ? measurement.wait_p99_ns : measurement.operations_per_s;
}

std::string text_of(Mode mode, double median) {
  if (mode == Mode::kFixed) return absl::StrFormat("%.4g s", median);
  if (mode == Mode::kOpen) return absl::StrFormat("p99 wait %.4g ns", median);
  return absl::StrFormat("%.4g operations/s", median);
}

}  // namespace

std::string medians_text(const Plan& plan, std::span<const Measurement> measurements) {
  std::map<std::string, std::vector<double>> figures;  // by the description of the cell
  for (const Measurement& measurement : measurements) {
    const Cell& cell = plan.trials[measurement.trial].cell;
    const std::optional<double> figure = figure_of(cell.mode, measurement);
    if (measurement.valid && figure) figures[describe(cell)].push_back(*figure);
  }
  std::string text;
  for (const Trial& trial : plan.trials) {
    if (trial.block != 0) continue;
    const std::string cell = describe(trial.cell);
    const auto found = figures.find(cell);
    const std::string value =
        found == figures.end() ? "not valid" : text_of(trial.cell.mode, median(found->second));
    absl::StrAppend(&text, "  ", cell, ": ", value, "\n");
  }
  return text;
}

namespace {

bool any_valid(const std::vector<Measurement>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Measurement& row) { return row.valid; });
}

int code_of(const FinishedSession& session) {
  if (any_valid(session.measurements)) return kSuccess;
  std::cerr << "lockbench run: inconclusive: 0 of " << session.measurements.size()
            << " rows are valid (minimum 1); the column `reason` of " << session.folder
            << "/trials.csv says why\n";
  return kInconclusive;
}

std::string next_steps(const std::string& program, const std::string& folder) {
  const auto command = [&](const char* name) { return shell_command({program, name, folder}); };
  return "Next: " + command("report") + "    one page\n" +  //
         "      " + command("plot") + "      pictures\n" +  //
         "      " + command("compare") + "   every comparison\n";
}

}  // namespace

int finish_run(const FinishedSession& session, const std::string& program,
               const std::string& format, std::string_view did) {
  std::ostream& said = format == "text" ? std::cout : std::cerr;
  said << did << ' ' << session.folder << ": " << session.tally.text() << "\n\n" << std::flush;
  const absl::StatusOr<int> compared =
      run_analysis("compare", {session.folder, "--brief", "--format", format});
  if (noted_signal() != 0) {
    std::cerr << "Interrupted: all trials are kept; to compare them: "
              << shell_command({program, "compare", session.folder}) << '\n';
    return kSignalExitBase + noted_signal();
  }
  if (!compared.ok()) {
    std::cerr << "lockbench run: no comparison: "
              << printable(std::string(compared.status().message())) << '\n';
    said << "Medians\n" << medians_text(session.plan, session.measurements);
    // A comparison has these among its notes.
    for (const std::string& text : build_difference_texts(session.plan)) said << text << '\n';
  }
  for (const std::string& call : call_cost_texts(session.plan)) said << call << '\n';
  said << '\n' << next_steps(program, session.folder);
  const bool unwritten = compared.ok() && *compared == kCouldNotFinish;
  return unwritten ? kCouldNotFinish : code_of(session);
}

int finish_shard(const FinishedSession& session, const Shard& shard) {
  std::cout << "Measured " << session.folder << ": shard " << to_text(shard) << ": "
            << session.tally.text() << "\nNext, when all shards are measured: "
            << "lockbench merge MERGED SHARD...\n";
  return code_of(session);
}

}  // namespace lockbench
