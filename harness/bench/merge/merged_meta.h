// SPDX-License-Identifier: Apache-2.0

// MergedMeta: computes the meta.json of a merged run from the files of its parts. Pure.
//
// The result depends only on the set of parts. Neither their order nor earlier merges of some of
// them matter, so merging is associative, and merging again changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/bench/merge/folders.h"
#include "harness/bench/merge/trial_index.h"
#include "harness/bench/record/meta.h"

namespace lockbench {

// `runs`: in the same order as in the index. `done`: the number of trials that have their rows.
Meta merged_meta(const std::vector<FoundRun>& runs, const TrialIndex& index, Plan plan,
                 std::uint32_t done);

// Pairs of parts that were measured at the same time on one machine, identified by its boot id.
std::vector<PartOverlap> overlaps_of(const std::vector<RunPart>& parts);

}  // namespace lockbench
