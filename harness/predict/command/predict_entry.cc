// SPDX-License-Identifier: Apache-2.0

// The command `predict`.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/bench/command/advise/advise_entry.h"
#include "harness/bench/command/list/list_entry.h"
#include "harness/bench/command/run/plan_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/predict/command/advice_by_model.h"
#include "harness/predict/command/machines.h"
#include "harness/predict/command/predict_command.h"
#include "harness/predict/command/predicted_plugins.h"

namespace lockbench {
namespace {

constexpr char kPredictFooter[] =
    "Predicts the figures of a preset's cells on a machine that you do not have. The locks run\n"
    "unchanged on simulated threads. The model of the machine gives the time of each access,\n"
    "which depends on the state of the cache line, and of time slices and wake-ups. A model is a\n"
    "file: the cores, the latencies between them, the costs of an access and of the scheduler,\n"
    "and the sources of these figures. The rows have the columns of a measurement; `predicted` is\n"
    "true, and `machine` is the name of the model. Figures that are not predicted are empty.\n"
    "\n"
    "The workloads counter, accounts, checkout and nested can be predicted, with keys of type\n"
    "u64, for lockbench's own locks and for global and striped over the C library's mutex. Other\n"
    "cells are omitted. A window ends after a million accesses at the latest.\n"
    "docs/prediction.md lists what a model does not contain.\n"
    "\n"
    "Examples\n"
    "  lockbench predict quick --machine i7-1165g7\n"
    "  lockbench predict threads --machine i7-1165g7 --machine epyc-7773x --threads 1,8,64\n"
    "  lockbench predict --machine ./my-server.toml --primitive keyed --primitive striped \\\n"
    "                    --threads 1,2,4..32 --keys 64 --hold 200ns\n"
    "  lockbench predict quick --machine here --machine epyc-7773x\n"
    "  lockbench predict --resume results/runs/20250131-120000-quick-1a2b\n"
    "\n"
    "`here` measures this machine first, as lockbench calibrate-machine does.\n"
    "plot, compare and report treat each model as a machine of its own. They never compare a\n"
    "prediction with a measurement in one ratio. Ctrl-C keeps every finished prediction and\n"
    "prints the command that resumes. Exit codes: 0 every prediction has its row, 1 rows could\n"
    "not be written, 2 bad input, 4 no row is valid, 129, 130 or 143 interrupted.\n";

class PredictEntry final : public CommandWithOptions<PredictOptions> {
 public:
  PredictEntry()
      : CommandWithOptions(
            {.name = "predict",
             .group = CommandGroup::kMachines,
             .summary = "Predicts the figures of a preset on models of other machines",
             .footer = kPredictFooter}) {}

  void add_flags(CLI::App& predict) override {
    PredictOptions& options = options_;
    add_preset_flags(predict, options.preset, options.overrides);
    add_texts(
        predict,
        {.names = "--machine",
         .type = "NAME",
         .help = "A machine (lockbench list machines), a file ending in .toml, or here, which "
                 "measures this machine first; may be repeated [the preset's target]"},
        options.machines);
    add_folder(predict, "--out", "The run's folder [results/runs/<time>-<preset>-<id>]",
               options.out);
    add_folder(predict, "--resume", "Continues the predictions in this folder, with their own plan",
               options.resume);
    add_switch(predict, "--dry-run", "Prints how many predictions the plan has; predicts nothing",
               options.dry_run);
    add_progress(predict, options.progress);
    add_format(predict, "Format of the summary: text, json, csv or markdown [text]",
               options.format);
    add_sweep_flags(predict, options.overrides);
    add_plugins(predict, plugins_);
  }

  std::string complete(const CLI::App& predict, const Invocation& invocation) override {
    options_.program = invocation.program;
    options_.words = invocation.words;
    const PredictOptions& options = options_;
    if (!options.resume) return {};
    std::vector<std::string> idle = plan_flags();
    idle.insert(idle.end(), {"--machine", "--out", "--dry-run"});
    for (const std::string& flag : idle) {
      if (!was_given(predict, flag)) continue;
      return "--resume: goes on with the plan of that run; leave out " +
             (flag == "preset" ? "the preset" : flag) +
             ", or start new predictions without --resume";
    }
    return {};
  }

  int run(const Invocation&) override {
    if (const std::optional<int> wrong = add_predicted_plugins_of_command("predict", plugins_)) {
      return *wrong;
    }
    return predict_command(options_);
  }

 private:
  std::vector<std::string> plugins_;
};

ListSection list_of_machines() {
  return {.name = "machines",
          .title = "Machines, for lockbench predict",
          .things = []() -> absl::StatusOr<std::vector<ListedThing>> {
            const absl::StatusOr<std::vector<ModelledMachine>> machines = shipped_machines();
            if (!machines.ok()) return machines.status();
            std::vector<ListedThing> things;
            for (const auto& [model, toml] : *machines) {
              things.push_back({.name = model.name,
                                .title = model.title,
                                .numbers = {{"cores", model.cores()},
                                            {"hardware_threads", model.processors()}}});
            }
            return things;
          }};
}

}  // namespace

void add_predict_commands(Commands& all) {
  all.push_back(std::make_unique<PredictEntry>());
  if (auto* const list = find_command<ListEntry>(all)) list->add_section(list_of_machines());
  if (auto* const advise = find_command<AdviseEntry>(all)) {
    advise->answer_for_machine_models(answers_by_prediction());
  }
}

void describe_predict(nlohmann::json& adds) {
  const ListSection machines = list_of_machines();
  adds["list"] = {{"name", machines.name}, {"title", machines.title}};
  adds["advise"]["models"] = described(answers_by_prediction());
}

}  // namespace lockbench
