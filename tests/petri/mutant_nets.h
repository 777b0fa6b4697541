// SPDX-License-Identifier: Apache-2.0

// The broken locks and the nets that they are held against, for the simulated engine, for the one
// of native threads and for the one of processes, of which each program has but one.
#pragma once

#include <string>
#include <vector>

#include "harness/petri/model.h"
#include "harness/stress/report.h"

namespace lockbench::mutants {

struct MutantNet {
  std::string lock;
  ModelSpec model;
  std::string blind = {};  // why the net cannot disagree; empty: it must, unless it is a control
  bool control = false;    // a correct lock, or one that the simulated engine has to acquit
  // Why native threads do not show it, or not every time, though simulated ones do.
  std::string unseen_natively = {};
};

// One for each lock of for_sim(), which are those of for_real(); or of for_proc().
const std::vector<MutantNet>& mutant_nets();

// What this program's engine says of the lock and its net, from a process of its own: a broken lock
// may take its process with it, which is the oracle of crashes.
stress::Report held_against_net(const MutantNet& mutant);

// Whether this program's engine must fail the mutant.
bool must_disagree(const MutantNet& mutant);

// The model as `lockbench model` takes it: `lease --nested`.
std::string words_of(const ModelSpec& model);

}  // namespace lockbench::mutants
