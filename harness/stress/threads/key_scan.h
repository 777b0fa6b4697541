// SPDX-License-Identifier: Apache-2.0

// Key scan: checks whether two keys that have no relation to each other share a lock.
//
// If a lock distinguishes keys only by a hash, two of some thousands of keys share a lock, but
// short programs do not use that many keys. So one thread holds many random keys, and another tries
// many more. With n held and m tried keys, the probability to detect a hash of b bits is 1 - e^(-nm
// / 2^b).
#pragma once

#include <cstdint>

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// Requires: no other thread uses the lock; Abilities::lock_per_key and any_key; key set 0. Fails
// the epoch if it finds two keys of which one cannot be acquired while the other is held, and can
// be acquired while it is not.
void scan_keys(EpochContext& context, std::uint64_t seed);

}  // namespace lockbench::stress::threads
