// SPDX-License-Identifier: Apache-2.0

// The functions of a shared object of the test on locks: the test needs no header of theirs.
#pragma once

struct Locks {
  void* (*make_recursive)();
  bool (*try_recursive)(void*);
  void (*unlock_recursive)(void*);
  void* (*make_adaptive)();
  bool (*lock_adaptive)(void*);  // false after 10 s
  void (*unlock_adaptive)(void*);
  bool (*use_file_lock)(const char* folder);
};

extern "C" Locks lockbench_test_locks();
