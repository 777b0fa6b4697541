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
  const lockbench_c_plugin* c = nullptr;   // set for a plug-in of the C interface
  const lockbench_build* build = nullptr;  // null if the plug-in has no stamp
};

// `file` stays loaded until the process ends. InvalidArgument says in one line what is wrong with
// the file and what would be right. `wanted`: the build of this program, which may be a simulation.
// `of_c` makes the offer of a plug-in of the C interface (c_offer.h); without it that is empty.
absl::StatusOr<LoadedPlugin> load_plugin(const std::filesystem::path& file,
                                         const PluginBuild& wanted,
                                         PluginOffer (*of_c)(const lockbench_c_plugin&) = nullptr);

}  // namespace lockbench
