// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/command/predict_command.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/quantity.h"
#include "harness/base/shell_command.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/child.h"
#include "harness/bench/command/run/core_binding.h"
#include "harness/bench/command/run/finish.h"
#include "harness/bench/command/run/presets.h"
#include "harness/bench/command/run/run_plan.h"
#include "harness/bench/command/run/session.h"
#include "harness/bench/measure/placement.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/load.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/stamp.h"
#include "harness/predict/command/here.h"
#include "harness/predict/command/machines.h"
#include "harness/predict/command/predicted_plan.h"
#include "harness/predict/machine/model_processors.h"
#include "harness/process/child_process.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

// Predictions depend on the keys that are drawn and on nothing else that is random, so a few blocks
// show how much they vary.
constexpr std::uint32_t kBlocks = 3;

// A prediction has no time limit of its own: its accesses are limited. This is for a model of so
// many processors and threads that each access takes long.
constexpr std::chrono::minutes kGraceOfPrediction{10};

std::string who(const PredictOptions& options) {
  return "lockbench " + options.command;
}

// The program that predicts, and what it knows: the workloads of each primitive, by the type of its
// keys (`u64` or `string`).
struct Predictor {
  std::filesystem::path program;
  std::map<std::string, std::map<std::string, std::set<std::string>>> primitives;
};

absl::StatusOr<Predictor> find_predictor() {
  const auto program = find_engine("lockbench-predicted-trial");
  if (!program) {
    return absl::NotFoundError(
        "the program lockbench-predicted-trial is missing beside this one; in a checkout: cmake "
        "--build "
        "--preset release");
  }
  std::vector<std::string> words{"lockbench-predicted-trial"};
  for (const std::string& plugin : Catalog::standard().plugins()) {
    words.insert(words.end(), {"--plugin", plugin});
  }
  words.emplace_back("list");
  const absl::StatusOr<ChildResult> listing =
      run_child({.program = *program,
                 .words = std::move(words),
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10)});
  if (!listing.ok()) return listing.status();
  if (listing->status != 0)
    return absl::UnavailableError(end_text("lockbench-predicted-trial", *listing));
  Predictor predictor{.program = *program, .primitives = {}};
  for (const std::string_view line : split(listing->out, '\n')) {
    const std::vector<std::string_view> words_of_line = split(line, ' ');
    if (words_of_line.size() < 3) continue;
    auto& workloads =
        predictor.primitives[std::string(words_of_line[0])][std::string(words_of_line[1])];
    workloads.insert(words_of_line.begin() + 2, words_of_line.end());
  }
  return predictor;
}

// The primitive without the parameters that are numbers, as the predictor lists it.
std::string type_of(const PrimitiveSpec& whole) {
  PrimitiveSpec type = whole;
  std::erase_if(type.parameters, [](const auto& parameter) {
    return std::all_of(parameter.second.begin(), parameter.second.end(),
                       [](unsigned char c) { return c >= '0' && c <= '9'; });
  });
  return to_text(type);
}

bool is_of(const CatalogEntry& entry, const PrimitiveSpec& whole) {
  if (entry.listing.name != whole.name) return false;
  const std::vector<Choice>& choices = entry.listing.choices;
  return std::all_of(choices.begin(), choices.end(), [&whole](const Choice& choice) {
    const auto given = whole.parameters.find(choice.parameter);
    return given != whole.parameters.end() && given->second == choice.value;
  });
}

// Why the predictor does not have the primitive.
std::string_view obstacle_of(const PrimitiveSpec& whole) {
  const std::span<const CatalogEntry> entries = Catalog::standard().entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&whole](const CatalogEntry& e) { return is_of(e, whole); });
  if (entry == entries.end()) return "unknown";
  if (entry->promises.scope == Scope::kProcess) return "files and processes are not in the model";
  if (entry->promises.scope == Scope::kService) return "networks and servers are not in the model";
  const std::string_view origin = entry->listing.origin;
  if (origin == "Abseil" || origin == "oneTBB") {
    return "a part of it is compiled code of a library, whose accesses nothing sees";
  }
  return "it is not compiled for predictions";
}

// Why the cell cannot be predicted; empty if it can.
std::string refusal_of(const Cell& cell, const Predictor& predictor) {
  const absl::StatusOr<PrimitiveSpec> whole = Catalog::standard().with_defaults(cell.primitive);
  if (!whole.ok()) return std::string(whole.status().message());
  const auto primitive = predictor.primitives.find(type_of(*whole));
  if (primitive == predictor.primitives.end()) {
    return absl::StrFormat("primitive %s (%s)", to_text(cell.primitive), obstacle_of(*whole));
  }
  const auto workloads = primitive->second.find(cell.key_type == KeyType::kU64 ? "u64" : "string");
  if (workloads == primitive->second.end()) {
    return absl::StrFormat("primitive %s with keys of this type", to_text(cell.primitive));
  }
  if (!workloads->second.contains(cell.workload.name)) {
    return absl::StrFormat("workload %s with primitive %s", cell.workload.name, whole->name);
  }
  return {};
}

const machine::MachineModel& model_of(const Cell& cell,
                                      const std::vector<ModelledMachine>& machines) {
  return std::find_if(
             machines.begin(), machines.end(),
             [&cell](const ModelledMachine& known) { return known.model.name == cell.machine; })
      ->model;
}

// Why the machine has no such cores; empty if it has.
std::string missing_cores(const Cell& cell, const machine::MachineModel& model) {
  const absl::Status placed =
      place_threads(cell.pinning, cell.threads, machine::processors_of(model)).status();
  return placed.ok() ? "" : absl::StrCat(model.name, ": ", placed.message());
}

std::string kinds_of_threads(const Cell& cell, const machine::MachineModel& model) {
  const std::vector<Processor> processors = machine::processors_of(model);
  const auto placed = place_threads(cell.pinning, cell.threads, processors);
  return placed.ok() ? threads_by_kind(*placed, processors) : "";
}

// A load wants another think time on a machine with more processors.
std::string prepare_load(const machine::MachineModel& model, Cell& cell) {
  if (!cell.load) return {};
  absl::StatusOr<CellTraits> traits = Catalog::standard().check(cell);
  if (!traits.ok()) return std::string(traits.status().message());
  traits->processors = model.processors();
  limit_to_kinds(cell, machine::processors_of(model), *traits);
  const absl::StatusOr<Work> think = think_for_load(cell, *traits);
  if (!think.ok()) return std::string(think.status().message());
  cell.think = *think;
  return {};
}

bool has_kinds(const ModelledMachine& machine) {
  return !machine.model.kinds.empty();
}

// The model with the most processors.
const machine::MachineModel& greatest_of(const std::vector<ModelledMachine>& machines) {
  return std::max_element(machines.begin(), machines.end(),
                          [](const ModelledMachine& a, const ModelledMachine& b) {
                            return a.model.processors() < b.model.processors();
                          })
      ->model;
}

// The plan as it would be measured on a machine that reaches the loads of each model.
absl::StatusOr<Plan> measured_plan(const PredictOptions& options,
                                   const std::vector<ModelledMachine>& machines) {
  const machine::MachineModel& greatest = greatest_of(machines);
  const auto check = [&greatest](const Cell& cell) {
    absl::StatusOr<CellTraits> traits = Catalog::standard().check(cell);
    if (!traits.ok()) return traits;
    traits->processors = greatest.processors();
    limit_to_kinds(cell, machine::processors_of(greatest), *traits);
    return traits;
  };
  const bool binds = std::any_of(machines.begin(), machines.end(), has_kinds);
  if (options.plan) {
    absl::StatusOr<Plan> plan =
        options.plan(check, kinds_among(machine::processors_of(machines.front().model)));
    if (plan.ok() && binds) bind_where_unsaid(*plan);
    return plan;
  }
  absl::StatusOr<Preset> preset = chosen_preset(options.preset, options.overrides);
  if (!preset.ok()) return preset.status();
  if (binds) bind_where_unsaid(*preset);
  if (!options.overrides.blocks) preset->blocks = std::min(preset->blocks, kBlocks);
  return expand(*preset, check);
}

std::vector<std::string> names_of(const std::vector<ModelledMachine>& machines) {
  std::vector<std::string> names;
  for (const ModelledMachine& machine : machines) names.push_back(machine.model.name);
  return names;
}

absl::StatusOr<PredictedPlan> plan_of(const PredictOptions& options, const Predictor& predictor,
                                      const std::vector<ModelledMachine>& machines) {
  const absl::StatusOr<Plan> plan = measured_plan(options, machines);
  if (!plan.ok()) return plan.status();
  PredictedPlan predicted = predicted_plan(*plan, names_of(machines), [&](Cell& cell) {
    if (std::string reason = refusal_of(cell, predictor); !reason.empty()) return reason;
    const machine::MachineModel& model = model_of(cell, machines);
    if (std::string reason = missing_cores(cell, model); !reason.empty()) return reason;
    return prepare_load(model, cell);
  });
  predicted.plan.target.clear();
  if (!predicted.plan.trials.empty()) return predicted;
  return absl::InvalidArgumentError(absl::StrFormat(
      "no cell of the plan can be predicted: %s; docs/prediction.md lists what can be",
      absl::StrJoin(predicted.examples, "; ")));
}

SessionSettings settings_of(const PredictOptions& options, const Predictor& predictor,
                            const std::filesystem::path& folder) {
  const auto compute = [predictor, folder](const Trial& trial) -> absl::StatusOr<Sample> {
    Trial whole = trial;
    const auto primitive = Catalog::standard().with_defaults(trial.cell.primitive);
    if (!primitive.ok()) return primitive.status();
    whole.cell.primitive = *primitive;
    std::vector<std::string> words{"lockbench-predicted-trial"};
    const std::string plugin = Catalog::standard().plugin_of(*primitive);
    if (!plugin.empty()) words.insert(words.end(), {"--plugin", plugin});
    words.push_back(machine_copy(folder, trial.cell.machine).string());
    return sample_of_child(predictor.program, std::move(words), whole, kGraceOfPrediction);
  };
  const auto threads_by_kind = [folder](const Cell& cell) -> std::string {
    const auto copy = load_copy(folder, cell.machine);
    return copy.ok() ? kinds_of_threads(cell, copy->model) : "";
  };
  const auto finished = [options](const FinishedSession& session) {
    if (options.finished) return options.finished(session);
    return finish_run(session, options.program, options.format, "Predicted");
  };
  std::vector<std::string> go_on{options.program, "predict", "--resume", folder.string()};
  for (const std::string& plugin : Catalog::standard().plugins()) {
    go_on.insert(go_on.end(), {"--plugin", plugin});
  }
  return {.progress = options.progress,
          .program = options.program,
          .command = options.command,
          .go_on = shell_command(go_on),
          .verb = "predict",
          .compute = compute,
          .threads_by_kind = threads_by_kind,
          .finished = finished};
}

void say_left_out(const PredictOptions& options, const PredictedPlan& predicted) {
  if (predicted.left_out == 0) return;
  std::cerr << "lockbench " << options.command << ": "
            << absl::StrFormat("%s left out that cannot be predicted: %s%s\n",
                               counted(predicted.left_out, "cell"),
                               absl::StrJoin(predicted.examples, "; "),
                               predicted.left_out > predicted.examples.size() ? "; …" : "");
}

int print_dry_run(const PredictedPlan& predicted, std::size_t machines) {
  const Plan& plan = predicted.plan;
  std::cout << absl::StrFormat("%d predictions in %s for %s\n", plan.trials.size(),
                               counted(plan.blocks, "block"), counted(machines, "machine"));
  return kSuccess;
}

// The names that were given; else the model of the machine for which the preset is sized.
absl::StatusOr<std::vector<std::string>> wanted_machines(const PredictOptions& options) {
  if (!options.machines.empty()) return options.machines;
  const absl::StatusOr<Preset> preset =
      options.preset ? load_preset(*options.preset) : absl::StatusOr<Preset>(Preset{});
  if (!preset.ok()) return preset.status();
  const absl::StatusOr<std::vector<std::string>> known = machine_names();
  if (!known.ok()) return known.status();
  for (const std::string& name : *known) {
    if (absl::EqualsIgnoreCase(name, preset->target)) return std::vector<std::string>{name};
  }
  return absl::InvalidArgumentError(
      "--machine: not given; name a machine (lockbench list machines), as --machine i7-1165g7");
}

int start(const PredictOptions& options, const Predictor& predictor) {
  const absl::StatusOr<std::vector<std::string>> names = wanted_machines(options);
  if (!names.ok()) return complain(std::cerr, who(options), names.status());
  const absl::StatusOr<std::vector<ModelledMachine>> machines =
      load_machines(*names, [] { return measure_here(kHere, std::cerr); });
  if (!machines.ok()) return complain(std::cerr, who(options), machines.status());
  absl::StatusOr<PredictedPlan> predicted = plan_of(options, predictor, *machines);
  if (!predicted.ok()) return complain(std::cerr, who(options), predicted.status());
  say_left_out(options, *predicted);
  if (options.dry_run) return print_dry_run(*predicted, machines->size());
  note_signals();
  std::vector<Machine> descriptions;
  for (const ModelledMachine& machine : *machines) {
    descriptions.push_back(described(machine.model));
  }
  const RunIdentity identity{.run_id = new_run_id(predicted->plan.preset),
                             .preset = predicted->plan.preset,
                             .target = {},
                             .machine = *descriptions.front().id};
  const std::filesystem::path folder =
      options.out.value_or(std::filesystem::path("results") / "runs" / identity.run_id);
  absl::StatusOr<RunWriter> writer =
      RunWriter::create(folder, {.run = identity,
                                 .started_at = utc_now(),
                                 .command = shell_command(options.words),
                                 .machine = descriptions.front(),
                                 .build = this_build(),
                                 .machines = descriptions,
                                 .plan = std::move(predicted->plan)});
  if (!writer.ok()) return complain(std::cerr, who(options), writer.status());
  if (absl::Status copied = copy_machines(*machines, folder); !copied.ok()) {
    return complain(std::cerr, who(options), copied, kCouldNotFinish);
  }
  return Session(*std::move(writer), {}, {}, settings_of(options, predictor, folder)).run();
}

int resume(const PredictOptions& options, const Predictor& predictor) {
  note_signals();
  auto resumed = resume_run(*options.resume, RowKind::kComputed);
  if (!resumed.ok()) return complain(std::cerr, who(options), resumed.status());
  SessionSettings settings = settings_of(options, predictor, *options.resume);
  if (const auto* finished = std::get_if<FinishedSession>(&*resumed)) {
    return finish_again(*finished, settings);
  }
  ResumedRun* const run = &std::get<ResumedRun>(*resumed);
  for (const std::string& repair : run->repairs) say(std::cerr, "lockbench predict", repair);
  absl::StatusOr<MeasuredRun> before = read_measured_run(*options.resume);
  if (!before.ok()) return complain(std::cerr, who(options), before.status());
  // The copies are made after meta.json, and users may change them.
  for (const Machine& machine : run->writer.meta().machines.value_or(std::vector<Machine>{})) {
    const auto copy = load_copy(*options.resume, machine.id.value_or(""));
    if (!copy.ok()) return complain(std::cerr, who(options), copy.status());
  }
  return Session(std::move(run->writer), std::move(run->done), std::move(before->measurements),
                 std::move(settings))
      .run();
}

}  // namespace

int predict_command(const PredictOptions& options) {
  const absl::StatusOr<Predictor> predictor = find_predictor();
  if (!predictor.ok())
    return complain(std::cerr, who(options), predictor.status(), kCouldNotFinish);
  return options.resume ? resume(options, *predictor) : start(options, *predictor);
}

}  // namespace lockbench
