// SPDX-License-Identifier: Apache-2.0

// run_trial: measures one cell once, in this process.
#pragma once

#include <functional>
#include <memory>

#include "harness/measure/sample.h"
#include "harness/measure/subject.h"
#include "harness/plan/cell.h"

namespace lockbench {

using MakeSubject = std::function<std::unique_ptr<Subject>()>;

// Starts the cell's threads, or as many processes where the workload is one of processes, warms up,
// measures, stops, and checks the workload's proof. The
// calling thread sleeps meanwhile; being there, it makes a trial of one thread run as programs of
// several threads do (the C library drops atomic locking in processes that never had a second
// thread).
//
// Returns a sample in any case: kFailed when threads or memory could not be had, kDeadlock or
// kTimeout when it did not end by itself, kCrashed when one of its processes was ended. In these
// cases threads may still be inside the primitive, which stays behind with them: the caller prints
// the sample, leaves by _exit(), and measures nothing more in this process.
Sample run_trial(const Trial& trial, const MakeSubject& make_subject);

}  // namespace lockbench
