// SPDX-License-Identifier: Apache-2.0

// load_plugin: loads a plug-in into this process and reads which locks it contains.
//
// Call it in a child process: the library's start-up code runs and may end the process.
#pragma once

#include <filesystem>
#include <string>

#include <absl/status/statusor.h>

#include "harness/plugin/offer.h"
#include "harness/plugin/public/lockbench/c_lock.h"

namespace lockbench {

struct LoadedPlugin {
  PluginOffer offer;
  // Set for a plug-in of the C interface; its offer is then empty (see c_offer.h).
  const lockbench_c_plugin* c = nullptr;
};

// `file` stays loaded until the process ends. InvalidArgument says in one line what is wrong with
// the file and what would be right. `wanted`: the build of this program, which may be a simulation.
absl::StatusOr<LoadedPlugin> load_plugin(const std::filesystem::path& file,
                                         const PluginBuild& wanted);

}  // namespace lockbench
