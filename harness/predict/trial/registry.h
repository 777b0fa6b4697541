// SPDX-License-Identifier: Apache-2.0

// The locks whose costs on a machine can be predicted.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "harness/bench/plan/cell.h"
#include "harness/plugin/offer.h"
#include "harness/predict/plugin/predictable_lock.h"

namespace lockbench::predict {

struct RegisteredLock {
  // The name, and the parameters that choose the type.
  PrimitiveSpec spec;
  LockKind kind = LockKind::kExclusive;
  std::vector<KeyType> key_types;
  // `cell` has all parameters of the primitive, also those that a user left out.
  std::function<std::unique_ptr<PredictableLock>(const Cell& cell)> make;
};

// lockbench's own, and those that were added.
std::span<const RegisteredLock> registered_locks();

// Adds the locks of a plug-in that was built for predictions.
void add_locks(const PluginOffer& offer);

// Null if there is none. Parameters of `spec` that an entry does not have are numbers.
const RegisteredLock* find_registered(const PrimitiveSpec& spec, KeyType key_type);

}  // namespace lockbench::predict
