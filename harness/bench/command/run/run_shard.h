// SPDX-License-Identifier: Apache-2.0

// RunShard: measures one shard of a plan in a folder of its own, or continues it.
//
// A task that was killed or requeued runs its command again; trials that have their row are not
// measured again. If it runs on another machine, it leaves the rows of the first machine unchanged
// and continues in <folder>/machine-2 (then machine-3, …). There it measures the comparison groups
// that the other machines did not finish, because primitives are compared on one machine.
//
// Errors of `lockbench run` about bad input.
#pragma once

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/bench/command/run/session.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/shard.h"

namespace lockbench {

// Who says what is wrong: complain.h.
inline constexpr std::string_view kRunCommand = "lockbench run";

// The folder for the n-th machine of the shard, from 1: `folder` itself, then <folder>/machine-<n>.
std::filesystem::path folder_of_machine(const std::filesystem::path& folder, std::size_t n);

// `words`: the command line; the same command continues the shard. Returns the exit code, see
// run_command.h; 0 if all trials have their row already.
int run_shard(Plan plan, const Shard& shard, const std::filesystem::path& folder,
              const std::vector<std::string>& words, SessionSettings settings);

}  // namespace lockbench
