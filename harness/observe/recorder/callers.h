// SPDX-License-Identifier: Apache-2.0

// Callers: the code that called a function of locks, and the functions that called that code.
//
// Most programs wrap their mutex: all their locks are acquired in one function Mutex::Lock(). A
// wrapper returns while the lock is held, so the function that acquires the lock is not the one
// that releases it. The place of a lock is the first caller that does both.
#pragma once

#include <array>
#include <cstddef>

#include "harness/observe/recorder/recording.h"

namespace lockbench::observe {

struct Callers {
  std::array<const void*, Place::kMostCallers> addresses{};  // innermost first
  std::size_t count = 1;
};

// `caller`: the return address of the call of this library's function. At most `wanted`.
//
// With glibc before 2.35 there is one caller: the unwinder would take a lock.
Callers callers_of(const void* caller, std::size_t wanted);

// The callers of a system call that waits for a futex. Those between the first one and the last one
// of the same library are left out, if there are others after them: so the code that uses a lock is
// among those that are kept, also if the library that has the lock calls many functions of its own.
Callers callers_of_futex(const void* caller);

// How many callers make up the place of locks that are first acquired at `caller`; 0: it is not
// known yet, so that all are to be recorded.
std::size_t depth_at(const void* caller);

// The lock that was first acquired by `first` is released for the first time, at `caller`. Returns
// the depth at the first of `first`, which is known from now on.
std::size_t learn_depth(const Callers& first, const void* caller);

}  // namespace lockbench::observe
