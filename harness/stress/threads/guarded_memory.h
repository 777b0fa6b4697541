// SPDX-License-Identifier: Apache-2.0

// GuardedMemory: while an object of this class exists, operator new of this thread takes memory
// from pages of their own. operator delete makes these pages inaccessible at once, so a later
// access by any thread raises SIGSEGV.
//
// Not offered  malloc() and calloc() are not guarded. Builds with a sanitizer, which finds such
//              accesses itself, guard nothing.
// Requires     one object at a time.
#pragma once

namespace lockbench::stress::threads {

class GuardedMemory {
 public:
  GuardedMemory();
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // Whether `address` lies in memory that was or may be given out. Async-signal-safe.
  static bool contains(const void* address) noexcept;

  // Makes all freed memory available again. Requires: all of it was freed, and no thread is left
  // that may access it.
  static void reset() noexcept;
};

}  // namespace lockbench::stress::threads
