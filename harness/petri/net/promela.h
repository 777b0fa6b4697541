// SPDX-License-Identifier: Apache-2.0

// Promela: a net as a model for the SPIN model checker. Its verdict and number of states must be
// equal to the results of our search.
//
//   lockbench model keyed --promela keyed.pml
//   spin -a keyed.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000 -c0
//
// One process fires the transitions, each in one step. A final marking has a step to itself, so
// every `invalid end state` is a deadlock. The states stored are the markings without symmetry
// reduction.
#pragma once

#include <string>

#include "harness/petri/net/net.h"

namespace lockbench {

std::string promela_of(const Net& net);

}  // namespace lockbench
