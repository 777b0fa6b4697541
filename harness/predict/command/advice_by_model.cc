// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/command/advice_by_model.h"

#include <utility>

#include "harness/bench/measure/placement.h"
#include "harness/predict/command/machines.h"
#include "harness/predict/command/predict_command.h"
#include "harness/predict/command/predicted_plugins.h"
#include "harness/predict/machine/model_processors.h"

namespace lockbench {
namespace {

constexpr char kHelp[] =
    "\n"
    "With --machine, lockbench predicts the cells for the model of a machine, at 10 %, 50 % and\n"
    "saturated. Then a difference counts only if it exceeds the known error of predictions.\n"
    "  lockbench advise --machine epyc-7773x --threads 64 --keys 64 --hold 200ns\n"
    "  lockbench advise --machine epyc-7773x --threads 64 --keys 64 --hold 200ns --when keyed \\\n"
    "    --beats striped:stripes=64                        from which number of threads on?\n";

// They differ by the keys that are drawn.
constexpr std::uint32_t kAdviceBlocks = 5;

// Empty for a machine that cannot be read, too: the prediction says so.
std::vector<std::string> kinds_of_model(const std::string& name) {
  const absl::StatusOr<std::vector<ModelledMachine>> machines = load_machines({name});
  if (!machines.ok()) return {};
  return kinds_among(machine::processors_of(machines->front().model));
}

int answer(AdviseOptions options) {
  PredictOptions predicted;
  predicted.plan = [&options](const CellCheck& check,
                              const std::vector<std::string>& kinds) -> absl::StatusOr<Plan> {
    const absl::Status there = check_cores(options.wanted, kinds, options.machine);
    if (!there.ok()) return there;
    absl::StatusOr<Plan> plan =
        quick_advice_plan(options.wanted, check, "What advise predicted", kAdviceBlocks);
    absl::StatusOr<AdviceCase> asked = with_loads(options.wanted, check);
    if (asked.ok()) options.wanted = *std::move(asked);
    return plan;
  };
  predicted.machines = {options.machine};
  predicted.out = options.out;
  predicted.progress = options.progress;
  predicted.words = options.words;
  predicted.program = options.program;
  predicted.command = "advise";
  predicted.finished = [&options](const FinishedSession& session) {
    return answer_at_end(session, options, "Predicted");
  };
  return predict_command(predicted);
}

}  // namespace

AnswersForMachineModels answers_by_prediction() {
  return {.machines = machine_names,
          .kinds = kinds_of_model,
          .add_plugins =
              [](const std::vector<std::string>& plugins) {
                return add_predicted_plugins_of_command("advise", plugins);
              },
          .flag_help =
              "Predicts for this machine (lockbench list machines, or a file ending in .toml) and "
              "measures nothing; the answer states the accuracy",
          .why_alone = "predicts rates, and measures neither time nor memory",
          .answer = [](const AdviseOptions& options) { return answer(options); },
          .help = kHelp};
}

}  // namespace lockbench
