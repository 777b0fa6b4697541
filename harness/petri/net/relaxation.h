// SPDX-License-Identifier: Apache-2.0

// Relaxation: a net that can do everything that another net can do, with fewer silent transitions.
//
// It keeps the places of the threads. It replaces the shared places by the bounds that the place
// invariants give for the threads' places: if these and shared places sum up to 3, the threads'
// places hold at most 3 tokens (`holds a` of all threads: at most 1). Queues and pending wake-ups
// are left out. If a place has one silent transition as its only successor, it is merged with the
// place after that transition. If the relaxed net cannot do something, the original cannot do it
// either; the converse does not hold.
#pragma once

#include "harness/petri/net/net.h"

namespace lockbench::internal {

// Returns the net unchanged if no thread owns a place.
Net relaxed(const Net& net);

}  // namespace lockbench::internal
