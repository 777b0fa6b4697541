// SPDX-License-Identifier: Apache-2.0

// TwinLock: one lock under many names. Each is a type of its own, so that each is compiled for
// itself and lies elsewhere, as two different locks do.
#pragma once

#include "primitives/global_lock.h"

namespace lockbench {

template <char kName>
class TwinLock : public GlobalLock<> {};

}  // namespace lockbench
