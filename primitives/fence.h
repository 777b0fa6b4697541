// SPDX-License-Identifier: Apache-2.0

// Fence and FencedStore: refuse the writes of a holder that is late.
//
// A lock that can be taken from its holder cannot by itself prevent that holder from writing: it
// may be asleep between its last check and its write. So each grant has a token that is greater
// than those before it, and the guarded data is accessed through a fence that remembers the
// greatest token seen. Reads count as well as writes: once a later holder has read, it would not
// see an earlier holder's write, so that is refused.
//
// Guarantees   of the holders of one key, whatever the timing: a write is accepted only if no
//              holder with a greater token has read or written before it. So a value that was read
//              and then written under one token has not changed in between, and no accepted write
//              is lost.
// Not offered  which holder is late: ask the lock.
// Requires     tokens that grow with every grant of the key, each used by one holder.
// fork()       not while a thread is in a call, if the child uses the fence.
// Cost         a mutex, held for the read or the write alone.
// Source       fencing tokens are common for leases in distributed storage; M.
//              Burrows, "The Chubby lock service for loosely-coupled distributed systems", 2006,
//              calls them sequencers.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "primitives/futex_mutex.h"

namespace lockbench {

class Fence {
 public:
  // Calls `work()`, under a mutex, unless a greater token has passed; returns whether it did.
  template <class Work>
  bool pass(std::uint64_t token, Work&& work) {
    std::scoped_lock guard(mutex_);
    if (token < greatest_) return false;
    greatest_ = token;
    std::forward<Work>(work)();
    return true;
  }

 private:
  FutexMutex mutex_;
  std::uint64_t greatest_ = 0;
};

// One value behind a fence.
template <class T>
class FencedStore {
 public:
  explicit FencedStore(T value = T()) : value_(std::move(value)) {}

  // The value; nothing when `token` is late.
  std::optional<T> read(std::uint64_t token) {
    std::optional<T> seen;
    fence_.pass(token, [&] { seen = value_; });
    return seen;
  }

  // False when `token` is late: the value stays as it is.
  bool write(std::uint64_t token, T value) {
    return fence_.pass(token, [&] { value_ = std::move(value); });
  }

 private:
  Fence fence_;
  T value_;
};

}  // namespace lockbench
