// SPDX-License-Identifier: Apache-2.0

// HelpTexts: what `lockbench --help` prints beside the commands, and what --version prints.
#pragma once

#include <string>
#include <string_view>

#include "harness/cli/command.h"

namespace lockbench {

extern const char kFirstSteps[];
extern const char kExitCodes[];  // the table of exit_code.h

// The heading of the group in the help; empty: it is not shown.
std::string heading_of(CommandGroup group);

// The group as programs tell each other: "measure". A name that is not known is of a command that
// is not shown.
std::string name_of(CommandGroup group);
CommandGroup group_named(std::string_view name);

// The version, and the build with the versions of the libraries that it measures.
std::string version_text();

}  // namespace lockbench
