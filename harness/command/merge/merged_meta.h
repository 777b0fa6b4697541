// SPDX-License-Identifier: Apache-2.0

// MergedMeta: the meta.json of a merged run, from those of its parts. Pure.
//
// Everything in it follows from the set of parts, whatever the order in which they are named and
// whether some were merged before: so merging is associative, and merging again changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/command/merge/folders.h"
#include "harness/command/merge/trial_index.h"
#include "harness/record/meta.h"

namespace lockbench {

// The runs in the order in which the index knows them. `done`: trials that have their rows.
Meta merged_meta(const std::vector<FoundRun>& runs, const TrialIndex& index, Plan plan,
                 std::uint32_t done);

// Pairs of parts that measured on one machine, known by its boot id, at the same time.
std::vector<PartOverlap> overlaps_of(const std::vector<RunPart>& parts);

}  // namespace lockbench
