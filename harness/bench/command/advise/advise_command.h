// SPDX-License-Identifier: Apache-2.0

// `lockbench advise`: recommends a primitive for one case.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <nlohmann/json_fwd.hpp>

#include "harness/base/exit_code.h"
#include "harness/base/progress.h"
#include "harness/bench/command/advise/advice_case.h"
#include "harness/bench/command/advise/case_source.h"
#include "harness/bench/command/advise/question.h"
#include "harness/bench/command/run/machine_watch.h"
#include "harness/bench/command/run/session.h"

namespace lockbench {

struct AdviseOptions;

// Answers for machines that are not this one, by machine models. A program that can has an `advise`
// of its own, to which it gives them (AdviseEntry::answer_for_machine_models()); lockbench itself
// knows the help, and starts that program. Empty functions: there is none.
struct AnswersForMachineModels {
  std::function<absl::StatusOr<std::vector<std::string>>()> machines;  // their names
  // The names of the kinds of cores of a machine, the fastest first; empty if they are of one kind
  // or if the machine is not known.
  std::function<std::vector<std::string>(const std::string& machine)> kinds;
  // Adds plug-ins; returns an exit code after an error.
  std::function<std::optional<int>(const std::vector<std::string>& plugins)> add_plugins;
  std::string flag_help;  // what --machine does, for --help
  // Why it cannot be with flags of measurements: `--machine: <why_alone>; leave out --budget`.
  std::string why_alone;
  std::function<int(const AdviseOptions&)> answer;  // returns the exit code
  std::string help;                                 // for --help
  std::filesystem::path program = {};  // not empty: this one answers, with the words of the command
};

// The texts as data, for the description of a program; and those of a program that describes them.
nlohmann::json described(const AnswersForMachineModels& machine_models);
AnswersForMachineModels machine_models_of_programs();

struct AdviseOptions {
  AdviceCase wanted;  // with 0 threads: the command asks for the case on the terminal
  Question question;
  std::optional<Nanoseconds> budget;      // absent: the usual one of the question
  Nanoseconds patience = kUsualPatience;  // how long it waits for a quiet machine
  std::vector<std::string> services;      // their servers: NAME=HOST:PORT
  std::string machine;                    // not empty: answers for this machine model
  AnswersForMachineModels machine_models;
  std::optional<std::filesystem::path> run;  // answers from this run; absent: measures
  std::optional<std::filesystem::path> out;  // the folder for the new measurements
  CaseSource source;
  std::string format = "text";
  ProgressStyle progress = ProgressStyle::kAuto;
  std::vector<std::string> words;  // the command line, for meta.json
  std::string program;             // how it was called, for the commands in messages
};

// Answers when the cells are there, however they came about: `done` says how. Returns the exit
// code.
int answer_at_end(const FinishedSession& session, const AdviseOptions& options,
                  const std::string& done);

// Prints what is wrong, and returns the exit code.
int complain_of_advice(const absl::Status& status, int code = kBadInput);

// Returns the exit code: 0 a primitive is recommended, 1 measuring or writing failed, 2 bad input,
// 4 no measured primitive is suitable, 129, 130 or 143 interrupted.
int advise_command(const AdviseOptions& options);

}  // namespace lockbench
