// SPDX-License-Identifier: Apache-2.0

// SeveralObjects: the form of a lock that has an object of its class for each key.
//
// A class may keep something outside of its objects: in variables of the thread, in a table that
// all objects share. A program with one object cannot show that objects then affect each other.
// With an object for each key, threads nest holds of several objects, and use another object while
// one is held.
#pragma once

#include <memory>
#include <optional>

#include "harness/stress/registered_lock.h"

namespace lockbench::stress {

// The form kSeveralObjects of `lock`; absent if several objects would show nothing new (it is a
// form itself, excludes nothing, or consists of several locks), or if the engines cannot make
// several (it is for processes, or at a service).
std::optional<RegisteredLock> with_several_objects(const RegisteredLock& lock);

}  // namespace lockbench::stress
