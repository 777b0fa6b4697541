// SPDX-License-Identifier: Apache-2.0

// The primitives of the catalog's lines as the engines of `stress` know them.
#pragma once

#include <memory>

#include "harness/bench/catalog/line.h"
#include "harness/stress/lock_adapter.h"
#include "primitives/concepts.h"

namespace lockbench {

// Makes a primitive by its maker, and its adapter.
using AdapterMaker = std::unique_ptr<stress::LockUnderTest> (*)(const Arguments&, AnyMaker);

template <class P, Key K>
std::unique_ptr<stress::LockUnderTest> make_adapter(const Arguments& arguments, AnyMaker maker) {
  return std::unique_ptr<stress::LockUnderTest>(
      new stress::LockAdapter<P, K>(made_by<P>(maker, arguments)));
}

}  // namespace lockbench
