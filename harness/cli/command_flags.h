// SPDX-License-Identifier: Apache-2.0

// CommandFlags: the flags of each command, and which combinations of them are invalid.
//
// Each `add_` function adds the flags of a command to its parser. The parser fills in the options,
// which must outlive the parsing. Each `validate_` function returns one line that says what is
// wrong with the given flags, or an empty text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/command/advise/advise_command.h"
#include "harness/command/calibrate/calibrate_command.h"
#include "harness/command/doctor/doctor_command.h"
#include "harness/command/merge/merge_command.h"
#include "harness/command/model/model_command.h"
#include "harness/command/observe/observe_command.h"
#include "harness/command/predict/predict_command.h"
#include "harness/command/preset/preset_command.h"
#include "harness/command/run/run_command.h"
#include "harness/command/stress/plan.h"
#include "harness/command/submit/submit_command.h"
#include "harness/command/substitute/compare_program_command.h"
#include "harness/command/substitute/substitute_command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

// The message for a budget of 0, for commands that check locks.
inline constexpr char kNoTime[] =
    "--budget: leaves no time to look into anything; give some, as 10s";

// The flags that `run` and `predict` share: the preset, its blocks and its seed; and the fields of
// a sweep.
void add_preset_flags(CLI::App& command, std::optional<std::string>& preset, Overrides& overrides);
void add_sweep_flags(CLI::App& command, Overrides& overrides);
// The names of these flags that a resumed run cannot have, because its plan exists already.
std::vector<std::string> plan_flags();

void add_predict(CLI::App& app, PredictOptions& options);
std::string validate_predict(const CLI::App& predict, const PredictOptions& options);

void add_calibrate(CLI::App& app, CalibrateOptions& options);
std::string validate_calibrate(const CLI::App& calibrate, const CalibrateOptions& options);

void add_run(CLI::App& app, RunOptions& options);
std::string validate_run(const CLI::App& run, const RunOptions& options);

void add_preset(CLI::App& app, PresetOptions& options);
std::string validate_preset(const PresetOptions& options);

void add_merge(CLI::App& app, MergeOptions& options);
std::string validate_merge(const MergeOptions& options);

void add_submit(CLI::App& app, SubmitOptions& options);
std::string validate_submit(const CLI::App& submit, const SubmitOptions& options);

void add_doctor(CLI::App& app, DoctorOptions& options);
std::string validate_doctor(const CLI::App& doctor, const DoctorOptions& options);

void add_advise(CLI::App& app, AdviseOptions& options);
std::string validate_advise(const CLI::App& advise, const AdviseOptions& options);

void add_stress(CLI::App& app, StressOptions& options);
std::string validate_stress(const StressOptions& options);

void add_observe(CLI::App& app, ObserveOptions& options);
std::string validate_observe(const ObserveOptions& options);

void add_substitute(CLI::App& app, SubstituteOptions& options);
std::string validate_substitute(const SubstituteOptions& options);

void add_compare_program(CLI::App& app, CompareProgramOptions& options);
std::string validate_compare_program(const CompareProgramOptions& options);

void add_model(CLI::App& app, ModelOptions& options);
std::string validate_model(const CLI::App& model, const ModelOptions& options);

}  // namespace lockbench
