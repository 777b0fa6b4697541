// SPDX-License-Identifier: Apache-2.0

// GuardedMemory: while an object of this class exists, operator new of this thread takes memory
// from pages of their own. operator delete makes these pages inaccessible at once, so a later
// access by any thread raises SIGSEGV.
//
// KeptBlocks: while an object of this class exists, operator new of this thread gives out again
// what operator delete of this thread has released since, in that order, if it fits. So an object
// that is made then lies where one of its size lay before.
//
// Not offered  malloc() and calloc() are not concerned. Builds with a sanitizer, which finds
//              such accesses itself, guard and keep nothing.
// Requires     one object of either class at a time.
#pragma once

namespace lockbench::stress::threads {

class GuardedMemory {
 public:
  GuardedMemory();
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // True if `address` lies in memory that was or may be given out. Async-signal-safe.
  static bool contains(const void* address) noexcept;

  // Makes all freed memory available again. Requires: all of it was freed, and no thread is left
  // that may access it.
  static void reset() noexcept;
};

class KeptBlocks {
 public:
  KeptBlocks();
  ~KeptBlocks();  // frees what was not given out again
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;
};

}  // namespace lockbench::stress::threads
