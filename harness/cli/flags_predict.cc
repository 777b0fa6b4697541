// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"

namespace lockbench {

void add_predict(CLI::App& app, PredictOptions& options) {
  CLI::App& predict =
      add_command(app, "predict", "Predicts the figures of a preset on models of other machines",
                  kPredictExamples);
  add_preset_flags(predict, options.preset, options.overrides);
  add_texts(predict,
            {.names = "--machine",
             .type = "NAME",
             .help = "A machine (lockbench list machines), a file ending in .toml, or here, which "
                     "measures this machine first; may be repeated [the preset's target]"},
            options.machines);
  add_folder(predict, "--out", "The run's folder [results/runs/<time>-<preset>-<id>]", options.out);
  add_folder(predict, "--resume", "Continues the predictions in this folder, with their own plan",
             options.resume);
  add_switch(predict, "--dry-run", "Prints how many predictions the plan has; predicts nothing",
             options.dry_run);
  add_progress(predict, options.progress);
  add_format(predict, "Format of the summary: text, json, csv or markdown [text]", options.format);
  add_sweep_flags(predict, options.overrides);
}

std::string validate_predict(const CLI::App& predict, const PredictOptions& options) {
  if (!options.resume) return {};
  std::vector<std::string> idle = plan_flags();
  idle.insert(idle.end(), {"--machine", "--out", "--dry-run"});
  for (const std::string& flag : idle) {
    if (!was_given(predict, flag)) continue;
    return "--resume: goes on with the plan of that run; leave out " +
           (flag == "preset" ? "the preset" : flag) + ", or start new predictions without --resume";
  }
  return {};
}

void add_calibrate(CLI::App& app, CalibrateOptions& options) {
  CLI::App& calibrate =
      add_command(app, "calibrate-machine", "Measures this machine and writes a model of it",
                  kCalibrateExamples);
  add_text(calibrate,
           {.names = "--out", .type = "FILE.toml", .help = "The file [the name and .toml]"},
           options.out);
  add_text(calibrate,
           {.names = "--name",
            .type = "NAME",
            .help = "Name of the machine in the rows of predictions [from --out, or here]"},
           options.name);
}

std::string validate_calibrate(const CLI::App& calibrate, const CalibrateOptions& options) {
  if (was_given(calibrate, "--name")) {
    if (was_given(calibrate, "--out")) {
      return "--name: a machine has the name of its file; leave out --name or --out";
    }
    if (options.name.empty() || options.name.find('/') != std::string::npos) {
      return "--name: '" + options.name + "' is no name; write a word without /, as my-server";
    }
  }
  if (!was_given(calibrate, "--out") || options.out.ends_with(".toml")) return {};
  return "--out: '" + options.out + "': predict takes files that end in .toml; name it " +
         (options.out.empty() ? "here" : options.out) + ".toml";
}

}  // namespace lockbench
