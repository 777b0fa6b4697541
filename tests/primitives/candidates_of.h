// SPDX-License-Identifier: Apache-2.0

// Makes the Candidates of lists of primitives.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/stress/lock_adapter.h"
#include "tests/primitives/any_primitive.h"

namespace lockbench {

template <class Handle>
class Erased final : public HandleInterface {
 public:
  // `make` returns the handle, which cannot be moved.
  template <class Make>
  explicit Erased(const Make& make) : handle_(make()) {}

  void lock() override { handle_.lock(); }
  bool try_lock() override { return handle_.try_lock(); }
  void unlock() override { handle_.unlock(); }
  bool try_lock_for(std::chrono::nanoseconds timeout) override { return before(timeout); }
  bool try_lock_for(std::chrono::hours timeout) override { return before(timeout); }
  bool try_lock_until(std::chrono::steady_clock::time_point deadline) override {
    return before(deadline);
  }
  bool try_lock_until(std::chrono::system_clock::time_point deadline) override {
    return before(deadline);
  }
  std::uint32_t lease() const override { return lease_of(handle_); }

 private:
  // By the standard's own guard, which calls the handle's timed member.
  template <class TimeoutOrDeadline>
  bool before([[maybe_unused]] TimeoutOrDeadline limit) {
    if constexpr (TimedLockable<Handle>) {
      std::unique_lock guard(handle_, limit);
      const bool owned = guard.owns_lock();
      guard.release();
      return owned;
    } else {
      return false;
    }
  }

  Handle handle_;
};

template <class Make>
AnyHandle erase(const Make& make) {
  return AnyHandle(std::make_unique<Erased<decltype(make())>>(make));
}

template <class P, Key K>
class ErasedPrimitive final : public AnyPrimitive {
 public:
  template <class... Arguments>
  explicit ErasedPrimitive(Arguments... arguments) : primitive_(arguments...) {}

  AnyHandle handle(std::size_t key) override {
    return erase([&] { return primitive_.handle(key_of(key)); });
  }

  AnyHandle handle([[maybe_unused]] std::string_view characters) override {
    if constexpr (kHasStringKeys) {
      return erase([&] { return primitive_.handle(characters); });
    } else {
      return AnyHandle(nullptr);
    }
  }

  AnyHandle handle_both([[maybe_unused]] std::size_t a, [[maybe_unused]] std::size_t b) override {
    if constexpr (PairLock<P, K>) {
      return erase([&] { return primitive_.handle_both(key_of(a), key_of(b)); });
    } else {
      return AnyHandle(nullptr);
    }
  }

  void inside(std::size_t key, const std::function<void()>& work) override {
    auto handle = primitive_.handle(key_of(key));
    std::scoped_lock guard(handle);
    work();
  }

  std::uint32_t capacity() const override { return primitive_.capacity(); }
  std::size_t lock_bytes() const override { return primitive_.lock_bytes(); }

  std::size_t keys_kept() const override {
    if constexpr (CountsKeys<P>) {
      return primitive_.keys_kept();
    } else {
      return 0;
    }
  }

  std::uint32_t available([[maybe_unused]] std::size_t shard) const override {
    if constexpr (LeaseLock<P, K>) {
      return primitive_.available(shard);
    } else {
      return 0;
    }
  }

 private:
  static constexpr bool kHasStringKeys = std::same_as<K, std::string_view>;

  static K key_of(std::size_t number) {
    if constexpr (kHasStringKeys) {
      return characters_of(number);
    } else {
      return number;
    }
  }

  P primitive_;
};

template <class S>
Candidate candidate_for() {
  using P = typename S::Primitive;
  using K = typename S::KeyType;
  return {.name = S::kName,
          .promises = P::kPromises,
          .string_keys = std::same_as<K, std::string_view>,
          .pairs = PairLock<P, K>,
          .leases = LeaseLock<P, K>,
          .counts_keys = CountsKeys<P>,
          .keeps_idle_keys = CountsKeys<P> && !stress::abilities_of<P, K>().reclaims,
          .make = []([[maybe_unused]] std::uint32_t leases) -> std::unique_ptr<AnyPrimitive> {
            if constexpr (LeaseLock<P, K>) {
              static_assert(P::kDefaultLeases == 10);
              return std::make_unique<ErasedPrimitive<P, K>>(kShards, leases);
            } else {
              return std::make_unique<ErasedPrimitive<P, K>>();
            }
          }};
}

template <class... Lists>
std::vector<Candidate> candidates_of() {
  std::vector<Candidate> all;
  const auto add_list = [&]<class... S>(const std::tuple<S...>&) {
    (all.push_back(candidate_for<S>()), ...);
  };
  (add_list(Lists()), ...);
  return all;
}

}  // namespace lockbench
