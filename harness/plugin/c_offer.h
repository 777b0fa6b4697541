// SPDX-License-Identifier: Apache-2.0

// c_offer: converts locks of the C interface (c_lock.h) to the entries that other plug-ins provide.
//
// Each lock is called through the plug-in's own pointers, once per lock(), try_lock() and unlock().
// The calls are compiled into lockbench. One process uses the locks of one entry only, because a
// trial has one primitive.
#pragma once

#include <string>

#include "harness/plugin/offer.h"
#include "harness/plugin/public/lockbench/c_lock.h"

namespace lockbench {

// `plugin` never changes. A lock without keys becomes a base lock, as in `global:lock=NAME` and
// `striped:lock=NAME`. A lock with keys becomes the primitive NAME, for u64 keys.
PluginOffer c_offer(const lockbench_c_plugin& plugin);

// The cost of calls through pointers on this machine: the time of a lock() and an unlock() that do
// nothing, in ns. It is the minimum of several measurements of a few milliseconds each.
double c_call_ns();

}  // namespace lockbench
