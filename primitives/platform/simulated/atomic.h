// SPDX-License-Identifier: Apache-2.0

// Simulated atomics: the interface of std::atomic for what fits a word, each access a point of
// choice.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "primitives/platform/simulated/hooks.h"

namespace lockbench::platform {

template <class T>
class alignas(sizeof(T)) Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;  // NOLINT: the standard's name

  constexpr Atomic() noexcept : Atomic(T{}) {}
  constexpr Atomic(T value) noexcept : value_(value) {  // NOLINT: converts as std::atomic does
    if (!std::is_constant_evaluated()) simulated::constructed(this, sizeof(T));
  }
  constexpr ~Atomic() {
    if (!std::is_constant_evaluated()) simulated::destroyed(this, sizeof(T));
  }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    return value_of(simulated::load(&value_, sizeof(T), order));
  }

  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    simulated::store(&value_, sizeof(T), bits_of(value), order);
  }

  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update([&](T) { return value; }, order);
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
    return compare_exchange(expected, desired, success, failure, false);
  }

  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, desired, order, failure_of(order));
  }

  // The scheduler chooses whether it fails spuriously.
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) noexcept {
    return compare_exchange(expected, desired, success, failure, true);
  }

  bool compare_exchange_weak(T& expected, T desired,
                             std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_weak(expected, desired, order, failure_of(order));
  }

  T fetch_add(T by, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update([&](T old) { return static_cast<T>(old + by); }, order);
  }
  T fetch_sub(T by, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update([&](T old) { return static_cast<T>(old - by); }, order);
  }
  T fetch_or(T with, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update([&](T old) { return static_cast<T>(old | with); }, order);
  }
  T fetch_and(T with, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update([&](T old) { return static_cast<T>(old & with); }, order);
  }
  T fetch_xor(T with, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update([&](T old) { return static_cast<T>(old ^ with); }, order);
  }

 private:
  static std::uint64_t bits_of(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }

  static T value_of(std::uint64_t bits) noexcept {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

  static std::memory_order failure_of(std::memory_order order) noexcept {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    if (order == std::memory_order_release) return std::memory_order_relaxed;
    return order;
  }

  bool compare_exchange(T& expected, T desired, std::memory_order success,
                        std::memory_order failure, bool weak) noexcept {
    const std::uint64_t seen =
        simulated::begin_compare(&value_, sizeof(T), bits_of(expected), success, failure);
    const bool equal = seen == bits_of(expected) && !(weak && simulated::fails_spuriously());
    simulated::end_update(&value_, sizeof(T), bits_of(desired), equal, equal ? success : failure);
    if (!equal) expected = value_of(seen);
    return equal;
  }

  template <class Change>
  T update(const Change& change, std::memory_order order) noexcept {
    const T old = value_of(simulated::begin_update(&value_, sizeof(T), order));
    simulated::end_update(&value_, sizeof(T), bits_of(change(old)), true, order);
    return old;
  }

  T value_;
};

}  // namespace lockbench::platform
