// SPDX-License-Identifier: Apache-2.0

// AnyPrimitive: a primitive of our_primitives.h or primitive_list.h behind virtual calls, so that
// the contract is compiled once and not once per primitive.
//
// Properties that virtual calls cannot show are checked where the types are known: the concepts in
// the list, the standard's guards in candidates_of.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/concepts.h"

namespace lockbench {

// Numbers of keys that tests may use: below kManyKeys; below kShards for what has shards.
inline constexpr std::size_t kManyKeys = 10'000;
inline constexpr std::size_t kShards = 16;
inline constexpr std::uint32_t kLeases = 3;

// The operations of a handle. Timed members of untimed handles, and leases of handles that have
// none, are not to be called.
class HandleInterface {
 public:
  virtual ~HandleInterface() = default;
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual void unlock() = 0;
  virtual bool try_lock_for(std::chrono::nanoseconds timeout) = 0;
  virtual bool try_lock_for(std::chrono::hours timeout) = 0;
  virtual bool try_lock_until(std::chrono::steady_clock::time_point deadline) = 0;
  virtual bool try_lock_until(std::chrono::system_clock::time_point deadline) = 0;
  virtual std::uint32_t lease() const = 0;  // 0 where there are none
};

// A handle of any primitive: Lockable, and TimedLockable where the primitive promises it.
class AnyHandle {
 public:
  explicit AnyHandle(std::unique_ptr<HandleInterface> handle) : handle_(std::move(handle)) {}

  void lock() { handle_->lock(); }
  bool try_lock() { return handle_->try_lock(); }
  void unlock() { handle_->unlock(); }
  template <class Timeout>
  bool try_lock_for(Timeout timeout) {
    return handle_->try_lock_for(timeout);
  }
  template <class Deadline>
  bool try_lock_until(Deadline deadline) {
    return handle_->try_lock_until(deadline);
  }
  std::uint32_t lease() const { return handle_->lease(); }

 private:
  std::unique_ptr<HandleInterface> handle_;
};

class AnyPrimitive {
 public:
  virtual ~AnyPrimitive() = default;

  // The handle for key number `key`, or for a string.
  virtual AnyHandle handle(std::size_t key) = 0;
  virtual AnyHandle handle(std::string_view characters) = 0;  // string keys only
  virtual AnyHandle handle_both(std::size_t a, std::size_t b) = 0;

  // Runs `work` under std::scoped_lock of a handle for `key`.
  virtual void inside(std::size_t key, const std::function<void()>& work) = 0;

  virtual std::uint32_t capacity() const = 0;
  virtual std::size_t lock_bytes() const = 0;
  virtual std::size_t keys_kept() const = 0;                     // where keys are counted
  virtual std::uint32_t available(std::size_t shard) const = 0;  // leases only
};

// A primitive of the list, as tests know it.
struct Candidate {
  std::string name;
  Promises promises;
  bool string_keys = false;
  bool pairs = false;
  bool leases = false;
  bool counts_keys = false;
  bool keeps_idle_keys = false;
  // `leases` is for leases alone.
  std::function<std::unique_ptr<AnyPrimitive>(std::uint32_t leases)> make;
};

// The candidates that the program tests: all_candidates.cc or our_candidates.cc.
const std::vector<Candidate>& candidates();

// The characters of key number `number`; too many to fit into a string object.
std::string_view characters_of(std::size_t number);

}  // namespace lockbench
