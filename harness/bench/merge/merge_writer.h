// SPDX-License-Identifier: Apache-2.0

// MergeWriter: writes a merged run to disk, completely or not at all.
//
// Guarantees   Everything is written to <out>.merging. When all of it is on the device, it replaces
//              <out> in one step. A reader of <out> therefore sees the old run or the new one, and
//              a merge that was killed leaves <out> unchanged. A merge removes the files of an
//              earlier killed merge. Only one merge at a time writes to <out>.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/bench/merge/folders.h"
#include "harness/bench/merge/trial_index.h"
#include "harness/bench/record/meta.h"

namespace lockbench {

// OK if the merged run may replace `out`: it does not exist, is empty, or contains a merged run all
// parts of which are among those of `meta`. Otherwise FailedPrecondition says what it contains.
absl::Status check_out(const std::filesystem::path& out, const Meta& meta);

// `runs`: in the same order as in the index.
absl::Status write_merged(const std::filesystem::path& out, const Meta& meta,
                          const std::vector<FoundRun>& runs, const TrialIndex& index);

}  // namespace lockbench
