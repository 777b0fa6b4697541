// SPDX-License-Identifier: Apache-2.0

// RunShard: measures one shard of a plan in a folder of its own, or goes on with it.
//
// A task that was killed or requeued runs its command again: trials that have their row are not
// measured again. If it finds itself on another machine, it leaves what the first one measured as
// it is and goes on in <folder>/machine-2 (then machine-3, …), where it measures the comparison
// groups that the others did not finish: primitives are compared on one machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/command/run/session.h"
#include "harness/plan/cell.h"
#include "harness/plan/shard.h"

namespace lockbench {

// The folder of the shard's n-th machine, from 1: `folder` itself, then <folder>/machine-<n>.
std::filesystem::path folder_of_machine(const std::filesystem::path& folder, std::size_t n);

// `words`: the command line, which goes on with the shard if it is given again. Returns the exit
// code, see run_command.h; 0 if all trials have their row already.
int run_shard(Plan plan, const Shard& shard, const std::filesystem::path& folder,
              const std::vector<std::string>& words, SessionSettings settings);

}  // namespace lockbench
