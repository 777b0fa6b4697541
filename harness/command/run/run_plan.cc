// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/run_plan.h"

#include <iostream>
#include <utility>

#include "harness/command/run/plugins.h"
#include "harness/measure/calibration.h"
#include "harness/plan/printable.h"
#include "harness/process/signals.h"
#include "harness/record/build.h"
#include "harness/record/machine.h"
#include "harness/record/stamp.h"
#include "harness/record/target.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

void say(const std::string& command, const std::string& what) {
  if (!what.empty()) std::cerr << "lockbench " << command << ": " << printable(what) << '\n';
}

// Why the machine is not the target of the plan; empty if it is.
std::string target_note(const Machine& machine, const std::string& target_name) {
  const Target* const target = find_target(target_name);
  if (target == nullptr) return {};
  const TargetMatch match = match_target(machine, *target);
  return match.matches ? "" : match.note;
}

}  // namespace

int run_plan(Plan plan, const std::optional<std::filesystem::path>& out,
             const std::vector<std::string>& words, SessionSettings settings,
             const std::optional<RunAim>& aim) {
  note_signals();
  const std::string command = settings.command;
  const Machine machine = read_machine();
  const RunIdentity identity{.run_id = new_run_id(plan.preset),
                             .preset = plan.preset,
                             .target = plan.target,
                             .machine = machine.id.value_or("")};
  const std::filesystem::path folder =
      out.value_or(std::filesystem::path("results") / "runs" / identity.run_id);
  absl::StatusOr<RunWriter> writer = RunWriter::create(folder, {.run = identity,
                                                                .started_at = utc_now(),
                                                                .command = shell_command(words),
                                                                .machine = machine,
                                                                .build = this_build(),
                                                                .plugins = plugin_records(plan),
                                                                .calibration = calibrate(),
                                                                .plan = std::move(plan)});
  if (!writer.ok()) {
    say(command, std::string(writer.status().message()));
    return kBadInput;
  }
  say(command, target_note(machine, identity.target));
  Session session(*std::move(writer), {}, {}, std::move(settings));
  if (aim) session.aim_for(*aim);
  return session.run();
}

}  // namespace lockbench
