// SPDX-License-Identifier: Apache-2.0

// CoreBinding: on which cores a run's threads are, on a machine whose cores are of several kinds.
// On other machines it changes nothing and says nothing.
#pragma once

#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/bench/measure/placement.h"
#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/preset.h"

namespace lockbench {

// Sweeps that say nothing of it get the pinning `scatter`. Returns true if there are any. Pure.
bool bind_where_unsaid(Preset& preset);

// The same for the trials of a plan that are not bound. Pure.
bool bind_where_unsaid(Plan& plan);

// Sweeps that say nothing of it get the pinning `scatter` if this process may use cores of several
// kinds: left to the kernel, equal trials would run on fast cores once and on slow ones another
// time. Returns what to tell the user of it; empty if all usable cores are of one kind.
std::string bind_by_default(Preset& preset);

// The same for the trials of a plan that are not bound.
std::string bind_by_default(Plan& plan);

// The traits that the catalog has for the cell, with what the cores of this machine add to them:
// windows and limits are computed for the slowest of them that its threads may run on, and loads
// for so many processors as the kinds have that the pinning names.
absl::StatusOr<CellTraits> traits_here(const Cell& cell);

// Computes loads for the processors, of these, that the threads of a cell share if its pinning
// names kinds of cores. Pure.
void limit_to_kinds(const Cell& cell, const std::vector<Processor>& processors, CellTraits& traits);

// The names of the kinds of the cores that this process may use, the fastest first; empty if they
// are of one kind. Unavailable, with the reason, if the kernel refuses to bind threads.
absl::StatusOr<std::vector<std::string>> kinds_here();

// InvalidArgument if a trial's pinning names processors or cores that this process may not use, so
// that it is refused before anything is measured.
absl::Status check_pinnings(const std::vector<Trial>& trials);

// How many threads of the cell are bound to each kind of core, as `fast 2, slow 1`; empty if there
// is one kind, or if they are not bound.
std::string threads_by_kind_of(const Cell& cell);

}  // namespace lockbench
