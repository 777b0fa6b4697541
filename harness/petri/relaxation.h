// SPDX-License-Identifier: Apache-2.0

// Relaxation: a net that can do everything that another net can do, with fewer silent transitions.
//
// It keeps the places of the threads. It replaces the shared places by what the place invariants
// say of the threads' places: if these and shared places sum up to 3, the threads' places hold at
// most 3 tokens (`holds a` of all threads: at most 1). Queues and pending wake-ups are left out. A
// place that has one silent transition as its only way on is merged with the place after it. What
// the relaxed net cannot do, the original cannot do either; the converse does not hold.
#pragma once

#include "harness/petri/net.h"

namespace lockbench::internal {

// Returns the net unchanged if no thread owns a place.
Net relaxed(const Net& net);

}  // namespace lockbench::internal
