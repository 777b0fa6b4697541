// SPDX-License-Identifier: Apache-2.0

// Promela: a net as a model for the SPIN model checker, whose verdict and number of states can be
// held against ours.
//
//   lockbench model keyed --promela keyed.pml
//   spin -a keyed.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000 -c0
//
// One process fires one transition after the other, each in one step; an end that is wanted goes
// round by itself, so that every `invalid end state` is a dead marking that is not. States stored
// are the markings, not folded.
#pragma once

#include <string>

#include "harness/petri/net.h"

namespace lockbench {

std::string promela_of(const Net& net);

}  // namespace lockbench
