// SPDX-License-Identifier: Apache-2.0

// Checks a plug-in that is built for simulation before its locks run: all of it must be
// instrumented, and its calls must be calls that the simulation can decide.
#pragma once

#include <filesystem>
#include <string>

#include <absl/status/status.h>

namespace lockbench::stress::explore {

// Call it after `plugin` has been loaded. Fails with InvalidArgument if sources of the plug-in were
// compiled without instrumentation; the message names them and says how to compile them. Otherwise,
// some calls by the plug-in end the execution from now on: calls of functions that are neither
// simulated nor known to leave shared state alone. The message names the function and its caller
// (World::refuse). Outside of a simulation, all calls work as before.
absl::Status prepare_plugin(const std::filesystem::path& plugin);

// True if a call of the function, which lies in `library`, may run unchanged in a simulation.
bool leaves_shared_state_alone(const std::string& function, const std::string& library);

}  // namespace lockbench::stress::explore
