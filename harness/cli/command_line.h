// SPDX-License-Identifier: Apache-2.0

// CommandLine: the parsed words of a command line.
//
// The functions are pure except for --version, which reads the version of the build. The command
// checks whether a preset, a primitive or a folder exists.
#pragma once

#include <string>
#include <sys/types.h>
#include <variant>
#include <vector>

#include "harness/command/advise/advise_command.h"
#include "harness/command/calibrate/calibrate_command.h"
#include "harness/command/doctor/doctor_command.h"
#include "harness/command/list/list_command.h"
#include "harness/command/merge/merge_command.h"
#include "harness/command/model/model_command.h"
#include "harness/command/observe/observe_command.h"
#include "harness/command/predict/predict_command.h"
#include "harness/command/preset/preset_command.h"
#include "harness/command/run/run_command.h"
#include "harness/command/run/trial_command.h"
#include "harness/command/stress/plan.h"
#include "harness/command/submit/submit_command.h"
#include "harness/command/substitute/compare_program_command.h"
#include "harness/command/substitute/substitute_command.h"

namespace lockbench {

struct CommandLine {
  std::string command;   // run, advise, stress, plot, compare, report, list, doctor, model, schema,
                         // trial or plugin
  RunOptions run;        // of `run`
  AdviseOptions advise;  // of `advise`
  PredictOptions predict;                 // of `predict`
  CalibrateOptions calibrate;             // of `calibrate-machine`
  ObserveOptions observe;                 // of `observe`
  SubstituteOptions substitute;           // of `substitute`
  CompareProgramOptions compare_program;  // of `compare-program`
  MergeOptions merge;                     // of `merge`
  SubmitOptions submit;                   // of `submit`
  ListOptions list;                       // of `list`
  PresetOptions preset;                   // of `preset`
  StressOptions stress;                   // of `stress`
  TrialOptions trial;                     // of `trial`
  std::vector<std::string>
      plugins;                    // of `run`, `predict`, `advise`, `stress`, `list`, `trial`: files
  std::string plugin;             // of `plugin`
  DoctorOptions doctor;           // of `doctor`
  bool schema_markdown = false;   // of `schema`: tables for people, else JSON
  ModelOptions model;             // of `model`
  std::vector<std::string> rest;  // of `plot`, `compare` and `report`: their script's own arguments
};

// The program only prints something and ends: the help, the version, or in one line what is wrong.
struct Reply {
  int exit_code = 0;
  std::string out;  // for standard output
  std::string err;  // for standard error
};

// `words`: all of them, the program's name first.
std::variant<CommandLine, Reply> read_command_line(const std::vector<std::string>& words);

}  // namespace lockbench
