// SPDX-License-Identifier: Apache-2.0

// The engine of processes: runs them at a lock in short epochs, kills, stops and replaces them, and
// looks after each epoch at what they left.
#pragma once

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress::processes {

// Looks into one lock for the time that the order gives, or until it is convicted. Fails with
// InvalidArgument when the order asks for what there is not. Must be called while this process has
// one thread.
absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order, const Tell& tell);

}  // namespace lockbench::stress::processes
