// SPDX-License-Identifier: Apache-2.0

// Relaxation: a net that can do all that another can, and is followed in few ways.
//
// Of what threads share it keeps what place invariants say of the threads' own places: where these
// sum up to 3 with something shared, they are at most 3 (`holds a` of all threads is at most 1). In
// which queue a thread is counted, and who was told to wake whom, is left out. Places from which
// there is one unseen way only are one with where that leads. So what this net cannot do, the other
// cannot; the contrary need not be.
#pragma once

#include "harness/petri/net.h"

namespace lockbench::internal {

// The same net where nothing in it is a thread's own.
Net relaxed(const Net& net);

}  // namespace lockbench::internal
