// SPDX-License-Identifier: Apache-2.0

// PredictableLock: a lock behind virtual calls, for predictions (harness/predict/trial). The calls
// take no virtual time, so each workload is compiled once and not once for each lock.
//
// A PredictableHandle is used like the handle that it wraps (primitives/concepts.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "primitives/concepts.h"
#include "workloads/fenced.h"

namespace lockbench {

// The abilities that workloads can ask of a lock beside acquiring and releasing it. Each lock is of
// one kind.
enum class LockKind {
  kExclusive,
  kReentrant,  // the holder may lock again
  kShared,     // several readers may hold it at once
  kLeases,     // holders have numbers
  kFenced,     // a key may be taken from its holder; each hold has a token
};

// A type of key that P takes.
template <class P>
using SomeKeyOf = std::conditional_t<KeyedLock<P, std::uint64_t>, std::uint64_t, std::string_view>;

template <class P, class K = SomeKeyOf<P>>
constexpr LockKind lock_kind_of() {
  if constexpr (LeaseLock<P, K>) return LockKind::kLeases;
  if constexpr (FencedLock<P, K>) return LockKind::kFenced;
  if constexpr (SharedLockable<HandleOf<P, K>>) return LockKind::kShared;
  return P::kPromises.reentrant ? LockKind::kReentrant : LockKind::kExclusive;
}

// The workloads that are predicted with a lock of this kind.
inline std::vector<std::string_view> predicted_workloads(LockKind kind) {
  switch (kind) {
    case LockKind::kLeases:
      return {"checkout"};
    case LockKind::kFenced:
      return {"counter", "accounts"};
    case LockKind::kReentrant:
      return {"counter", "accounts", "read_mostly", "nested"};
    case LockKind::kExclusive:
    case LockKind::kShared:
      break;
  }
  return {"counter", "accounts", "read_mostly"};
}

class PredictableHandle {
 public:
  virtual ~PredictableHandle() = default;
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual bool try_lock_for(std::chrono::nanoseconds timeout) = 0;  // one try if not timed
  virtual void unlock() = 0;
  // The shared hold of a kShared; of others, the hold.
  virtual void lock_shared() = 0;
  virtual bool try_lock_shared() = 0;
  virtual bool try_lock_shared_for(std::chrono::nanoseconds timeout) = 0;
  virtual void unlock_shared() = 0;
  virtual std::uint32_t lease() const = 0;  // 0 if the lock has no leases
  virtual std::uint64_t token() const = 0;  // 0 if holds have none
  virtual bool expired() const = 0;         // false if no hold is taken away
};

class PredictableLock {
 public:
  virtual ~PredictableLock() = default;
  // Null if the lock has no keys of this type. The characters outlive the handle.
  virtual std::unique_ptr<PredictableHandle> handle(std::uint64_t key) = 0;
  virtual std::unique_ptr<PredictableHandle> handle(std::string_view key) = 0;
  virtual std::uint32_t capacity() const = 0;
};

namespace internal {

template <class Handle>
class PredictableHandleOf final : public PredictableHandle {
 public:
  // `make` returns the handle, which cannot be moved.
  template <class Make>
  explicit PredictableHandleOf(const Make& make) : handle_(make()) {}

  void lock() override { handle_.lock(); }
  bool try_lock() override { return handle_.try_lock(); }
  bool try_lock_for(std::chrono::nanoseconds timeout) override {
    return try_lock_within(handle_, timeout);
  }
  void unlock() override { handle_.unlock(); }

  void lock_shared() override {
    if constexpr (SharedLockable<Handle>) {
      handle_.lock_shared();
    } else {
      handle_.lock();
    }
  }
  bool try_lock_shared() override {
    if constexpr (SharedLockable<Handle>) {
      return handle_.try_lock_shared();
    } else {
      return handle_.try_lock();
    }
  }
  bool try_lock_shared_for(std::chrono::nanoseconds timeout) override {
    if constexpr (requires { handle_.try_lock_shared_for(timeout); }) {
      return handle_.try_lock_shared_for(timeout);
    } else if constexpr (SharedLockable<Handle>) {
      return handle_.try_lock_shared();
    } else {
      return try_lock_for(timeout);
    }
  }
  void unlock_shared() override {
    if constexpr (SharedLockable<Handle>) {
      handle_.unlock_shared();
    } else {
      handle_.unlock();
    }
  }

  std::uint32_t lease() const override { return lease_of(handle_); }
  std::uint64_t token() const override { return token_of(handle_); }
  bool expired() const override {
    if constexpr (requires { handle_.expired(); }) {
      return handle_.expired();
    } else {
      return false;
    }
  }

 private:
  Handle handle_;
};

}  // namespace internal

template <class P>
class PredictableLockOf final : public PredictableLock {
 public:
  explicit PredictableLockOf(std::unique_ptr<P> primitive) : primitive_(std::move(primitive)) {}

  std::unique_ptr<PredictableHandle> handle(std::uint64_t key) override { return handle_of(key); }
  std::unique_ptr<PredictableHandle> handle(std::string_view key) override {
    return handle_of(key);
  }
  std::uint32_t capacity() const override { return primitive_->capacity(); }

 private:
  template <class K>
  std::unique_ptr<PredictableHandle> handle_of([[maybe_unused]] K key) {
    if constexpr (KeyedLock<P, K>) {
      using Handle = internal::PredictableHandleOf<HandleOf<P, K>>;
      return std::make_unique<Handle>([this, key] { return primitive_->handle(key); });
    } else {
      return nullptr;
    }
  }

  const std::unique_ptr<P> primitive_;
};

}  // namespace lockbench
