// SPDX-License-Identifier: Apache-2.0

// run_trial: measures one cell once, in this process.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/bench/measure/pinning.h"
#include "harness/bench/measure/sample.h"
#include "harness/bench/measure/subject.h"
#include "harness/bench/plan/cell.h"

namespace lockbench {

using MakeSubject = std::function<std::unique_ptr<Subject>()>;

// Starts the cell's threads, or processes if the workload needs processes. Warms up, measures,
// stops, and checks the workload's proof. The calling thread sleeps during that time. Because it
// exists, a trial of one thread runs like a program with several threads: in a process that never
// had a second thread, the C library uses no atomic instructions for locking.
//
// Always returns a sample. kFailed: threads or memory were not available. kDeadlock, kTimeout or
// kStarved: the trial did not end by itself. kCrashed: a worker was ended, by a signal or an
// exception.
// kServiceLost: a server that the primitive needs went away. In these cases threads may still be
// inside the primitive, which is then not destroyed: the caller prints the sample, exits with
// _exit(), and measures nothing more in this process.
//
// `placed`: the processors of the threads, if the caller knows them (pinning.h).
Sample run_trial(const Trial& trial, const MakeSubject& make_subject, const Placement& placed = {});

}  // namespace lockbench
