// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/chosen_preset.h"

#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

absl::StatusOr<CellTraits> check(const Cell& cell) {
  return Catalog::standard().check(cell);
}

// Reports names on the command line that do not exist, with their flag. Whether they can be
// combined is checked for each cell (see expand.h).
absl::Status check_names(const Sweep& sweep) {
  const auto flag_error = [](const std::string& flag, const absl::Status& status) {
    return absl::Status(status.code(), flag + ": " + std::string(status.message()));
  };
  for (const PrimitiveSpec& primitive : sweep.primitives) {
    const absl::Status status =
        check({.primitive = primitive, .workload = {kDefaultWorkload, ""}}).status();
    if (absl::IsInvalidArgument(status)) return flag_error("--primitive", status);
  }
  for (const WorkloadSpec& workload : sweep.workloads) {
    const SweepDefaults usual = Catalog::standard().defaults_for(workload.name);
    const absl::Status status =
        check({.primitive = {"global", {}}, .workload = workload, .write_share = usual.write_share})
            .status();
    if (absl::IsInvalidArgument(status)) return flag_error("--workload", status);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Preset> chosen_preset(const std::optional<std::string>& name,
                                     const Overrides& overrides) {
  if (absl::Status status = check_names(overrides.sweep); !status.ok()) return status;
  if (name) {
    const absl::StatusOr<Preset> preset = load_preset(*name);
    if (!preset.ok()) return preset.status();
    return apply(*preset, overrides);
  }
  Preset preset = preset_from(overrides, [](const WorkloadSpec& workload) {
    return Catalog::standard().defaults_for(workload.name);
  });
  // Applied again only to get the errors for flags that have no meaning in this mode.
  if (const auto applied = apply(preset, overrides); !applied.ok()) {
    return applied.status();
  }
  return preset;
}

}  // namespace lockbench
