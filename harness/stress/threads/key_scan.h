// SPDX-License-Identifier: Apache-2.0

// Key scan: whether keys that nothing connects share a lock.
//
// A lock that tells keys apart by a hash of them alone lets two of some thousands meet, which no
// short program ever names. So one thread holds many keys drawn at random, and another tries many
// more: with n and m of them, a hash of b bits is found out by a chance of 1 - e^(-nm / 2^b).
#pragma once

#include <cstdint>

#include "harness/stress/threads/epoch_context.h"

namespace lockbench::stress::threads {

// With no other thread at the lock. Fails the epoch if two keys are found of which one cannot be
// acquired while the other is held, and can when it is not. Requires Abilities::lock_per_key and
// any_key, and no other key set than the first.
void scan_keys(EpochContext& context, std::uint64_t seed);

}  // namespace lockbench::stress::threads
