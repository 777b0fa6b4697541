// SPDX-License-Identifier: Apache-2.0

// How the engines stay within what a lock has room for (LockLimits, primitives/promises.h).
#pragma once

#include <algorithm>

#include "primitives/promises.h"

namespace lockbench {

// `wanted`, or the limit if that is less.
template <class T>
constexpr T within(T wanted, T limit) {
  return limit == 0 ? wanted : std::min(wanted, limit);
}

}  // namespace lockbench
