// SPDX-License-Identifier: Apache-2.0

// Flags of a plan, which several commands have: the preset, its blocks and its seed; the fields of
// a sweep; the servers of services; and how long to wait for a quiet machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/quantity.h"
#include "harness/bench/plan/preset.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

void add_preset_flags(CLI::App& command, std::optional<std::string>& preset, Overrides& overrides);
void add_sweep_flags(CLI::App& command, Overrides& overrides);
// The names of these flags that a resumed run cannot have, because its plan exists already.
std::vector<std::string> plan_flags();

void add_service(CLI::App& command, std::vector<std::string>& services);
void add_patience(CLI::App& command, Nanoseconds& patience);

}  // namespace lockbench
