// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/command/machines.h"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/files.h"
#include "harness/predict/command/here.h"
#include "harness/predict/machine/machine_file.h"
#include "harness/process/resources.h"

namespace lockbench {

namespace {

absl::StatusOr<ModelledMachine> parsed(std::string toml, const std::string& file) {
  absl::StatusOr<machine::MachineModel> model = machine::parse_machine(toml, file);
  if (!model.ok()) return model.status();
  return ModelledMachine{*std::move(model), std::move(toml)};
}

absl::Status given_twice(const std::string& name) {
  return absl::InvalidArgumentError("machine '" + name +
                                    "' is given twice; rename one file, or leave it out");
}

const ResourceKind kMachines{
    .folder = "machines", .kind = "machine", .list = "lockbench list machines"};

absl::StatusOr<ModelledMachine> load_machine(const std::string& name) {
  absl::StatusOr<ResourceText> machine = read_resource(kMachines, name);
  if (!machine.ok()) return machine.status();
  return parsed(std::move(machine->text), machine->file);
}

std::optional<std::vector<MachineCores>> described_kinds(const machine::MachineModel& model) {
  if (model.kinds.empty()) return std::nullopt;
  std::vector<MachineCores> kinds;
  for (const machine::KindOfCores& kind : model.kinds) {
    const std::uint32_t threads = kind.cores * kind.threads_per_core;
    kinds.push_back({.kind = kind.name,
                     .cores = kind.cores,
                     .hardware_threads = threads,
                     .usable_threads = threads});
  }
  return kinds;
}

}  // namespace

absl::StatusOr<std::vector<ModelledMachine>> load_machines(const std::vector<std::string>& names,
                                                           const MeasureHere& measure_here) {
  std::vector<ModelledMachine> machines;
  std::set<std::string> known;
  std::optional<std::size_t> here;  // its index among the machines
  for (const std::string& name : names) {
    if (name == kHere && measure_here) {
      here = machines.size();
      if (!known.insert(name).second) return given_twice(name);
      continue;
    }
    absl::StatusOr<ModelledMachine> machine = load_machine(name);
    if (!machine.ok()) return machine.status();
    if (!known.insert(machine->model.name).second) return given_twice(machine->model.name);
    machines.push_back(*std::move(machine));
  }
  if (!here) return machines;
  absl::StatusOr<std::string> toml = measure_here();
  if (!toml.ok()) return toml.status();
  absl::StatusOr<ModelledMachine> measured = parsed(*std::move(toml), std::string(kHere) + ".toml");
  if (!measured.ok()) return measured.status();
  machines.insert(machines.begin() + static_cast<std::ptrdiff_t>(*here), *std::move(measured));
  return machines;
}

absl::StatusOr<std::vector<std::string>> machine_names() {
  return resource_names(kMachines);
}

absl::StatusOr<std::vector<ModelledMachine>> shipped_machines() {
  const absl::StatusOr<std::vector<std::string>> names = machine_names();
  return names.ok() ? load_machines(*names)
                    : absl::StatusOr<std::vector<ModelledMachine>>(names.status());
}

std::filesystem::path machine_copy(const std::filesystem::path& folder, const std::string& name) {
  return folder / "machines" / (name + ".toml");
}

absl::StatusOr<ModelledMachine> load_copy(const std::filesystem::path& folder,
                                          const std::string& name) {
  const std::filesystem::path file = machine_copy(folder, name);
  absl::StatusOr<std::string> toml = read_file(file, kMostInputBytes);
  if (!toml.ok()) {
    return absl::Status(toml.status().code(),
                        std::string(toml.status().message()) +
                            "; put the run's copy of the machine back, or begin another run");
  }
  return parsed(*std::move(toml), file.string());
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
          .usable_threads = model.processors(),
          .core_kinds = described_kinds(model)};
}

}  // namespace lockbench
