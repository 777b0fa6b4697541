// SPDX-License-Identifier: Apache-2.0

// The mutants (broken locks) and the nets that they are checked against. Each program has one
// engine: simulated threads, native threads, or processes.
#pragma once

#include <string>
#include <vector>

#include "harness/petri/net/model.h"
#include "harness/stress/report.h"

namespace lockbench::mutants {

struct MutantNet {
  std::string lock;
  ModelSpec model;
  std::string undetectable =
      {};                // why the check cannot fail; empty: it must, unless it is a control
  bool control = false;  // a correct lock, or one that the simulated engine must pass
  // Why native threads do not show the fault in every run, although simulated threads do.
  std::string missed_natively = {};
};

// One for each lock of for_sim(), which are those of for_real(), or of for_proc(); but for those
// in without_net().
const std::vector<MutantNet>& mutant_nets();

// Locks whose faults are in keys, counters, memory, timeouts or promises. A net has none of these.
const std::vector<std::string>& without_net();

// The report of this program's engine, which runs in a process of its own: a broken lock may crash
// its process, which the oracle for crashes reports.
stress::Report checked_against_net(const MutantNet& mutant);

// True if this program's engine must find the fault.
bool must_fail(const MutantNet& mutant);

// The arguments of `lockbench model` for this model: `lease --nested`.
std::string arguments_of(const ModelSpec& model);

}  // namespace lockbench::mutants
