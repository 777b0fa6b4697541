// SPDX-License-Identifier: Apache-2.0

// c_offer: locks of the C interface (c_lock.h) as what other plug-ins bring.
//
// Each is called through the plug-in's own pointers, once per lock(), try_lock() and unlock(). The
// calls are compiled into lockbench; the locks that are under way in one process are those of one
// line, as a trial has one primitive.
#pragma once

#include <string>

#include "harness/plugin/offer.h"
#include "harness/plugin/public/lockbench/c_lock.h"

namespace lockbench {

// `plugin` never changes. A lock that knows no keys is a base lock, as `global:lock=NAME`
// and `striped:lock=NAME`; one that does is the primitive NAME, for u64 keys.
PluginOffer c_offer(const lockbench_c_plugin& plugin);

// What calling through pointers costs here: a lock() and an unlock() that do nothing, in ns, the
// least of some tries of a few milliseconds each.
double c_call_ns();

}  // namespace lockbench
