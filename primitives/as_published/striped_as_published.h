// SPDX-License-Identifier: Apache-2.0

// StripedAsPublished: a fixed array of locks; the sum of the keys' hashes chooses one.
//
// Several keys select one lock: each key is lower-cased and hashed to 32 bits, and the hashes are
// added. The absolute value of the sum, modulo the number of locks, is the index. The locks are
// monitors: the holder may enter again, so one thread may lock two users of one stripe.
//
// Claimed      a lock per user with the memory of a few; the only cost of a false conflict is a
//              wait.
// Faults, all of them kept
//   F1  The least integer has no absolute value. If the sum is the least integer, handle() throws
//       std::overflow_error, as the original's language does. So this user can never be locked, for
//       example user1165018787@example.com.
//   F2  The sum does not depend on the order: ("a", "b") and ("b", "a") share a lock. So do all
//       combinations of keys with equal sums.
//   F3  A thread that takes the locks of two users one after the other deadlocks with a thread that
//       takes them in the other order. The text does not mention this and offers no solution.
//   F4  Locks are adjacent in memory, so neighbours slow each other down (false sharing).
// Ours         64-bit integers: their halves are folded, as in the original's library.
// Source       "Lock object sharing with hashes", a weblog entry of 8 January 2008. The hash of a
//              string is that of the .NET Framework 2.0 on 32-bit machines, rewritten.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"

namespace lockbench {

namespace internal {

// The monitor of `lock (object)`: one thread at a time, which may enter it again.
class Monitor {
 public:
  void lock() {
    const platform::ThreadToken self = platform::this_thread();
    std::unique_lock guard(mutex_);
    left_.wait(guard, [&] { return free_for(self); });
    enter(self);
  }

  bool try_lock() {
    const platform::ThreadToken self = platform::this_thread();
    std::unique_lock guard(mutex_);
    if (!free_for(self)) return false;
    enter(self);
    return true;
  }

  void unlock() {
    std::unique_lock guard(mutex_);
    if (--depth_ == 0) left_.notify_one();
  }

 private:
  bool free_for(platform::ThreadToken thread) const { return depth_ == 0 || owner_ == thread; }

  void enter(platform::ThreadToken thread) {
    owner_ = thread;
    ++depth_;
  }

  platform::Mutex mutex_;
  platform::ConditionVariable left_;
  platform::ThreadToken owner_ = platform::kNoThread;
  std::uint64_t depth_ = 0;
};

// The 32-bit hash of that version of the library: two sums of 33 x + character, of the even and the
// odd characters. Letters beyond ASCII keep their case here; the original converts more letters.
struct LowerCaseHash32 {
  std::int32_t operator()(std::string_view text) const noexcept {
    std::uint32_t even = 5381;
    std::uint32_t odd = 5381;
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::uint32_t& sum = i % 2 == 0 ? even : odd;
      sum = ((sum << 5) + sum) ^ lower(text[i]);
    }
    return static_cast<std::int32_t>(even + odd * 1566083941);
  }

  std::int32_t operator()(std::uint64_t number) const noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(number ^ (number >> 32)));
  }

 private:
  static std::uint32_t lower(char c) {
    return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
};

}  // namespace internal

template <class Hash = internal::LowerCaseHash32>
class StripedAsPublished {
 public:
  // A monitor may be entered again.
  static constexpr Promises kPromises{.reentrant = true};
  static constexpr std::size_t kDefaultStripes = 20;

  class Handle;

  // `stripes`: at least 1.
  explicit StripedAsPublished(std::size_t stripes = kDefaultStripes)
      : count_(stripes), locks_(new internal::Monitor[stripes]) {}

  // The three throw std::overflow_error for keys whose hashes add up to the least integer (F1).
  Handle handle(std::uint64_t key) { return Handle(locks_[stripe_of(key)]); }
  Handle handle(std::string_view key) { return Handle(locks_[stripe_of(key)]); }
  Handle handle(std::initializer_list<std::string_view> keys) {
    return Handle(locks_[index_of(sum_of(keys))]);
  }

  // Index of the key's lock; throws as handle() does.
  std::size_t stripe_of(std::uint64_t key) const { return index_of(Hash{}(key)); }
  std::size_t stripe_of(std::string_view key) const { return index_of(Hash{}(key)); }
  std::size_t stripe_of(std::initializer_list<std::string_view> keys) const {
    return index_of(sum_of(keys));
  }

  std::size_t stripes() const { return count_; }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this + count_ * sizeof(internal::Monitor); }

 private:
  // F2. Additions wrap around, as they do in the original by default.
  static std::int32_t sum_of(std::initializer_list<std::string_view> keys) {
    std::uint32_t sum = 0;
    for (const std::string_view key : keys) sum += static_cast<std::uint32_t>(Hash{}(key));
    return static_cast<std::int32_t>(sum);
  }

  // F1
  std::size_t index_of(std::int32_t sum) const {
    if (sum == std::numeric_limits<std::int32_t>::min()) {
      throw std::overflow_error("StripedAsPublished: -2147483648 has no absolute value");
    }
    return static_cast<std::size_t>(sum < 0 ? -sum : sum) % count_;
  }

  const std::size_t count_;
  const std::unique_ptr<internal::Monitor[]> locks_;
};

template <class Hash>
class StripedAsPublished<Hash>::Handle {
 public:
  explicit Handle(internal::Monitor& monitor) : monitor_(monitor) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { monitor_.lock(); }
  bool try_lock() { return monitor_.try_lock(); }
  void unlock() { monitor_.unlock(); }

 private:
  internal::Monitor& monitor_;
};

}  // namespace lockbench
