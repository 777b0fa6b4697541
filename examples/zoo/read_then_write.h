// SPDX-License-Identifier: Apache-2.0

// ReadThenWrite: a lock for readers and writers as one that has a holder: who acquires it has read
// before it writes, so readers meet readers and writers. A reader beside a writer is a data race
// on `guarded_`.
#pragma once

template <class L>
class ReadThenWrite {
 public:
  void lock() {
    lock_.lock_shared();
    last_read_of(guarded_);
    lock_.unlock_shared();
    lock_.lock();
    ++guarded_;
  }
  bool try_lock() {
    if (!lock_.try_lock()) return false;
    ++guarded_;
    return true;
  }
  void unlock() {
    ++guarded_;
    lock_.unlock();
  }

 private:
  // The compiler may not leave out a read whose result it must keep somewhere.
  static void last_read_of(const unsigned& guarded) {
    unsigned seen = guarded;
    asm volatile("" : "+r"(seen));
  }

  L lock_;
  unsigned guarded_ = 0;
};
