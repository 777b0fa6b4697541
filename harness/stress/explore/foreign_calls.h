// SPDX-License-Identifier: Apache-2.0

// A plug-in that is built for simulation, before its locks are run: is all of it instrumented, and
// which of its calls does no simulation decide?
#pragma once

#include <filesystem>
#include <string>

#include <absl/status/status.h>

namespace lockbench::stress::explore {

// `plugin` has been loaded. InvalidArgument names the sources in it that were compiled without
// instrumentation, and says how to compile them. Else, from now on a call by the plug-in of a
// function that is neither simulated nor known to leave shared state alone ends the execution that
// makes it (World::refuse), and is named with its caller. Outside of a simulation all calls are
// what they were.
absl::Status prepare_plugin(const std::filesystem::path& plugin);

// Whether a call of the function, which lies in `library`, may happen in a simulation as it is.
bool leaves_shared_state_alone(const std::string& function, const std::string& library);

}  // namespace lockbench::stress::explore
