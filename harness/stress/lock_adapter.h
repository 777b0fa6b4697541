// SPDX-License-Identifier: Apache-2.0

// LockAdapter: wraps a concrete primitive as a LockUnderTest. A lock's abilities are read off its
// promises and its interface; the registry that names it states only what neither can tell.
#pragma once

#include <chrono>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/registered_lock.h"
#include "primitives/concepts.h"

namespace lockbench::stress {

namespace internal {

template <class Handle>
inline constexpr bool kWaitsForTime = requires(Handle& handle, std::chrono::nanoseconds timeout) {
  handle.try_lock_for(timeout);
};

template <class Handle>
inline constexpr bool kHasToken = requires(const Handle& handle) {
  handle.token();
};

// A primitive that counts its keys keeps nothing for a key that no thread uses, unless it says
// `static constexpr bool kKeepsIdleKeys = true;`.
template <class P>
constexpr bool reclaims() {
  if constexpr (requires { P::kKeepsIdleKeys; }) {
    return CountsKeys<P> && !P::kKeepsIdleKeys;
  } else {
    return CountsKeys<P>;
  }
}

template <class Handle>
class HandleAdapter final : public LockHandle {
 public:
  // `make` returns the handle, which cannot be moved.
  template <class Make>
  explicit HandleAdapter(const Make& make) : handle_(make()) {}

  void lock() override { handle_.lock(); }
  bool try_lock() override { return handle_.try_lock(); }
  bool try_lock_for([[maybe_unused]] std::chrono::nanoseconds timeout) override {
    if constexpr (kWaitsForTime<Handle>) {
      return handle_.try_lock_for(timeout);
    } else {
      return handle_.try_lock();
    }
  }
  void unlock() override { handle_.unlock(); }
  std::uint32_t lease() const override {
    if constexpr (requires { handle_.lease(); }) {
      return handle_.lease();
    } else {
      return 0;
    }
  }
  std::uint64_t token() const override {
    if constexpr (kHasToken<Handle>) {
      return handle_.token();
    } else {
      return 0;
    }
  }

 private:
  Handle handle_;
};

template <Key K>
K key_as(std::uint64_t key) {
  if constexpr (std::same_as<K, std::uint64_t>) {
    return key;
  } else {
    return key_name(key);
  }
}

}  // namespace internal

template <class P, Key K>
class LockAdapter final : public LockUnderTest {
 public:
  explicit LockAdapter(std::unique_ptr<P> primitive) : primitive_(std::move(primitive)) {}

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override {
    return erase([&] { return primitive_->handle(internal::key_as<K>(key)); });
  }

  std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) override {
    if constexpr (PairLock<P, K>) {
      return erase(
          [&] { return primitive_->handle_both(internal::key_as<K>(a), internal::key_as<K>(b)); });
    } else {
      return nullptr;
    }
  }

  std::uint32_t capacity() const override { return primitive_->capacity(); }

  std::optional<std::size_t> keys_kept() const override {
    if constexpr (CountsKeys<P>) {
      return primitive_->keys_kept();
    } else {
      return std::nullopt;
    }
  }

 private:
  template <class Make>
  static std::unique_ptr<LockHandle> erase(const Make& make) {
    return std::make_unique<internal::HandleAdapter<std::invoke_result_t<Make>>>(make);
  }

  const std::unique_ptr<P> primitive_;
};

// Adds what `promises` say to `abilities`. What a base lock promises, a lock made of it keeps.
constexpr void add_promises(const Promises& promises, Abilities& abilities) {
  abilities.fair |= promises.fair;
  abilities.strong_try |= promises.strong_try;
  abilities.refuses_non_owners |= promises.refuses_non_owners;
  if (promises.hold_limit.count() != 0) abilities.hold_limit = promises.hold_limit;
}

// What P's promises and interface say.
template <class P, Key K>
Abilities abilities_of() {
  constexpr Promises kPromises = P::kPromises;
  using Handle = HandleOf<P, K>;
  Abilities abilities{.excludes = kPromises.excludes,
                      .timed = kPromises.timed || internal::kWaitsForTime<Handle>,
                      .reentrant = kPromises.reentrant,
                      .lock_per_key = kPromises.lock_per_key,
                      .pairs = PairLock<P, K>,
                      .leases = LeaseLock<P, K>,
                      .tokens = internal::kHasToken<Handle>,
                      .reclaims = internal::reclaims<P>(),
                      .nests_keys = kPromises.lock_per_key && !LeaseLock<P, K>,
                      .any_key = !LeaseLock<P, K>};
  add_promises(kPromises, abilities);
  return abilities;
}

// A line for P with keys of kind K, made from `arguments`, which are copied.
template <class P, Key K = std::uint64_t, class... Arguments>
RegisteredLock lock_under_test(std::string name, std::string summary, Arguments... arguments) {
  RegisteredLock line{.abilities = abilities_of<P, K>()};
  line.name = std::move(name);
  line.summary = std::move(summary);
  line.make = [=](std::uint64_t) -> std::unique_ptr<LockUnderTest> {
    return std::make_unique<LockAdapter<P, K>>(std::make_unique<P>(arguments...));
  };
  return line;
}

}  // namespace lockbench::stress
