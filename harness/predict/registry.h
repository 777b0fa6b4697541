// SPDX-License-Identifier: Apache-2.0

// The locks whose costs on a machine can be predicted.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "harness/plan/cell.h"
#include "harness/plugin/offer.h"
#include "harness/predict/predicted_lock.h"
#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::predict {

struct RegisteredLock {
  // The name, and the parameters that choose the type.
  PrimitiveSpec spec;
  LockKind kind = LockKind::kExclusive;
  // `cell` has all parameters of the primitive, also those that a user left out.
  std::function<std::unique_ptr<stress::LockUnderTest>(const Cell& cell)> make;
};

// lockbench's own, and those that were added.
std::span<const RegisteredLock> registered_locks();

// Adds the locks of a plug-in that was built for predictions.
void add_locks(const PluginOffer& offer);

// Null if there is none. Parameters of `spec` that an entry does not have are numbers.
const RegisteredLock* find_registered(const PrimitiveSpec& spec);

}  // namespace lockbench::predict
