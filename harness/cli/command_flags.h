// SPDX-License-Identifier: Apache-2.0

// CommandFlags: the flags of each command, and what flags of it do not go together.
//
// Each `add_` tells the parser of a command whose options it fills in, which must outlive the
// parsing; each `trouble_in_` says in one line what is wrong with what was given, or nothing.
#pragma once

#include <string>

#include "harness/command/advise/advise_command.h"
#include "harness/command/doctor/doctor_command.h"
#include "harness/command/merge/merge_command.h"
#include "harness/command/model/model_command.h"
#include "harness/command/run/run_command.h"
#include "harness/command/stress/plan.h"
#include "harness/command/submit/submit_command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

// Where locks are looked into.
inline constexpr char kNoTime[] =
    "--budget: leaves no time to look into anything; give some, as 10s";

void add_run(CLI::App& app, RunOptions& options);
std::string validate_run(const CLI::App& run, const RunOptions& options);

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

void add_model(CLI::App& app, ModelOptions& options);
std::string validate_model(const CLI::App& model, const ModelOptions& options);

}  // namespace lockbench
