// SPDX-License-Identifier: Apache-2.0

#include "harness/command/predict/machines.h"

#include <algorithm>
#include <utility>

#include "harness/machine/machine_file.h"
#include "harness/process/resources.h"
#include "harness/record/files.h"

namespace lockbench {

absl::StatusOr<std::vector<ModelledMachine>> load_machines(const std::vector<std::string>& names) {
  std::vector<ModelledMachine> machines;
  for (const std::string& name : names) {
    const absl::StatusOr<std::filesystem::path> file = machine_file(name);
    if (!file.ok()) return file.status();
    absl::StatusOr<std::string> toml = read_file(*file, kMostInputBytes);
    if (!toml.ok()) return toml.status();
    absl::StatusOr<machine::MachineModel> model = machine::parse_machine(*toml, file->string());
    if (!model.ok()) return model.status();
    const bool known = std::any_of(machines.begin(), machines.end(), [&](const auto& other) {
      return other.model.name == model->name;
    });
    if (known) {
      return absl::InvalidArgumentError("machine '" + model->name +
                                        "' is given twice; rename one file, or leave it out");
    }
    machines.push_back({*std::move(model), *std::move(toml)});
  }
  return machines;
}

absl::StatusOr<std::vector<ModelledMachine>> shipped_machines() {
  const absl::StatusOr<std::vector<std::string>> names = machine_names();
  return names.ok() ? load_machines(*names)
                    : absl::StatusOr<std::vector<ModelledMachine>>(names.status());
}

std::filesystem::path machine_copy(const std::filesystem::path& folder, const std::string& name) {
  return folder / "machines" / (name + ".toml");
}

absl::Status copy_machines(std::span<const ModelledMachine> machines,
                           const std::filesystem::path& folder) {
  if (absl::Status made = make_folders(folder / "machines"); !made.ok()) return made;
  for (const ModelledMachine& machine : machines) {
    const absl::Status copied =
        replace_file(machine_copy(folder, machine.model.name), machine.toml);
    if (!copied.ok()) return copied;
  }
  return absl::OkStatus();
}

Machine described(const machine::MachineModel& model) {
  return {.id = model.name,
          .cpu_model = "prediction for " + model.title,
          .packages = model.sockets,
          .cores = model.cores(),
          .hardware_threads = model.processors(),
          .threads_per_core = model.threads_per_core,
          .usable_threads = model.processors()};
}

}  // namespace lockbench
