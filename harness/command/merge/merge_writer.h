// SPDX-License-Identifier: Apache-2.0

// MergeWriter: puts a merged run on disk, whole or not at all.
//
// Guarantees   everything is written to <out>.merging, which takes the place of <out> in one step
//              when all of it is on the device: whoever looks at <out> sees the old run or the new
//              one, and a merge that was killed leaves <out> as it was. A merge removes what a
//              killed one left. One merge into <out> at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/command/merge/folders.h"
#include "harness/command/merge/trial_index.h"
#include "harness/record/meta.h"

namespace lockbench {

// OK if `out` may take the merged run: it is not there, is empty, or holds a merged run all parts
// of which are among those of `meta`. Else FailedPrecondition says what it holds.
absl::Status check_out(const std::filesystem::path& out, const Meta& meta);

// `runs`: in the order in which the index knows them.
absl::Status write_merged(const std::filesystem::path& out, const Meta& meta,
                          const std::vector<FoundRun>& runs, const TrialIndex& index);

}  // namespace lockbench
