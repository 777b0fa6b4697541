// SPDX-License-Identifier: Apache-2.0

// BrokenLock: it excludes nobody.
#pragma once

class BrokenLock {
 public:
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};
