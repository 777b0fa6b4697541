// SPDX-License-Identifier: Apache-2.0

// The machines of a prediction. Their files are copied into the run's folder, so that the rows can
// be understood, and an interrupted run continued, after the original files have changed.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/bench/record/machine.h"
#include "harness/predict/machine/machine_model.h"

namespace lockbench {

struct ModelledMachine {
  machine::MachineModel model;
  std::string toml;  // the text of its file
};

// The text of a machine's file that is measured now, see measure_here().
using MeasureHere = std::function<absl::StatusOr<std::string>()>;

// `names`: names of shipped models, files ending in `.toml`, or `here` for `measure_here`, which is
// called once at most, after all files were read. InvalidArgument if a file is wrong or if two have
// the same name.
absl::StatusOr<std::vector<ModelledMachine>> load_machines(const std::vector<std::string>& names,
                                                           const MeasureHere& measure_here = {});

// Names of the machines whose models come with lockbench, in alphabetical order.
absl::StatusOr<std::vector<std::string>> machine_names();

// All models that are shipped with the program.
absl::StatusOr<std::vector<ModelledMachine>> shipped_machines();

// The file of a machine's copy in a run's folder.
std::filesystem::path machine_copy(const std::filesystem::path& folder, const std::string& name);

// Reads that copy. NotFound says what to do if it is gone.
absl::StatusOr<ModelledMachine> load_copy(const std::filesystem::path& folder,
                                          const std::string& name);

absl::Status copy_machines(std::span<const ModelledMachine> machines,
                           const std::filesystem::path& folder);

// The entry for it in meta.json. Its model's name begins with "prediction for", so that whatever
// shows the machine of a row says that it is a prediction.
Machine described(const machine::MachineModel& model);

}  // namespace lockbench
