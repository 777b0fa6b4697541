// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/presets.h"

#include "harness/bench/plan/preset_file.h"

namespace lockbench {
namespace {

const ResourceKind kPresets{
    .folder = "presets", .kind = "preset", .list = "lockbench list presets"};

}  // namespace

absl::StatusOr<std::vector<std::string>> preset_names() {
  return resource_names(kPresets);
}

absl::StatusOr<ResourceText> read_preset(const std::string& name_or_file) {
  return read_resource(kPresets, name_or_file);
}

absl::StatusOr<Preset> load_preset(const std::string& name_or_file) {
  const absl::StatusOr<ResourceText> preset = read_preset(name_or_file);
  if (!preset.ok()) return preset.status();
  return parse_preset(preset->text, preset->file);
}

}  // namespace lockbench
