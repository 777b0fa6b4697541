// SPDX-License-Identifier: Apache-2.0

// The accesses of instrumented code on native threads: each access is performed as written, after a
// delay.

// In a build with ThreadSanitizer, the sanitizer itself provides the entry points.
#if !defined(__SANITIZE_THREAD__)

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/stress/threads/access_delays.h"

namespace {

// All of this is inlined into the entry point. So the entry point's return address is that of
// the access in the code.
struct Accesses {
  [[gnu::always_inline]] static void delay() {
    lockbench::stress::threads::delay_access(__builtin_return_address(0));
  }

  static void ignore_races(int) {}

  template <class T>
  [[gnu::always_inline]] static T load(const volatile T* word, std::memory_order order) {
    delay();
    return std::atomic_ref<T>(*const_cast<T*>(word)).load(order);
  }

  template <class T>
  [[gnu::always_inline]] static void store(volatile T* word, T value, std::memory_order order) {
    delay();
    std::atomic_ref<T>(*const_cast<T*>(word)).store(value, order);
  }

  template <class T, class Change>
  [[gnu::always_inline]] static T update(volatile T* word, Change change, std::memory_order order) {
    delay();
    const std::atomic_ref<T> there(*const_cast<T*>(word));
    T old = there.load(std::memory_order_relaxed);
    while (!there.compare_exchange_weak(old, change(old), order, std::memory_order_relaxed)) {
    }
    return old;
  }

  template <class T>
  [[gnu::always_inline]] static bool compare_exchange(volatile T* word, T* expected, T desired,
                                                      bool weak, std::memory_order success,
                                                      std::memory_order failure) {
    delay();
    const std::atomic_ref<T> there(*const_cast<T*>(word));
    return weak ? there.compare_exchange_weak(*expected, desired, success, failure)
                : there.compare_exchange_strong(*expected, desired, success, failure);
  }

  static void compiler_fence(std::memory_order) {}

  [[gnu::always_inline]] static void fence(std::memory_order order) {
    delay();
    std::atomic_thread_fence(order);
  }

  [[gnu::always_inline]] static void plain(const void*, std::size_t, bool) { delay(); }
  [[gnu::always_inline]] static void volatile_access(const void*, std::size_t, bool) { delay(); }

  static void frame_ends(const void*) {}
};

}  // namespace

#include "harness/stress/simulated/entry_points.h"

#endif
