// SPDX-License-Identifier: Apache-2.0

// Conformance: checks the traces of processes, some of which are killed or stopped, against the
// lock's Petri net.
//
// Processes run programs that do what the net's threads can do. Their events are recorded in an
// order that is consistent with the order that a correct lock guarantees (trace/recorder.h). A
// process that is killed while it holds corresponds to the event `thread 1 dies` of the net; if the
// net has no such event, no process is killed. No observer sees a waiting process clean up the lock
// of a dead owner. The checker inserts this step where the following events need it.
#pragma once

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::processes {

// As Conformer::check(). Requires: this process has one thread.
absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress);

}  // namespace lockbench::stress::processes
