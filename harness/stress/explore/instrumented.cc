// SPDX-License-Identifier: Apache-2.0

// Connects the accesses of instrumented code to the current world. So a lock that uses std::atomic,
// fences or compiler builtins is simulated like a lock that uses lockbench::platform.

// In a build with ThreadSanitizer, the sanitizer itself provides the entry points.
#if !defined(__SANITIZE_THREAD__)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "harness/stress/explore/world.h"
#include "primitives/platform/simulated/hooks.h"

namespace {

using lockbench::stress::explore::World;
namespace simulated = lockbench::platform::simulated;

struct Accesses {
  template <class T>
  static void* word_of(const volatile T* word) {
    void* const place = const_cast<T*>(word);
    if (World* const world = World::of_program()) world->meet(place, sizeof(T));
    return place;
  }

  template <class T>
  static T load(const volatile T* word, std::memory_order order) {
    return static_cast<T>(simulated::load(word_of(word), sizeof(T), order));
  }

  template <class T>
  static void store(volatile T* word, T value, std::memory_order order) {
    simulated::store(word_of(word), sizeof(T), value, order);
  }

  template <class T, class Change>
  static T update(volatile T* word, Change change, std::memory_order order) {
    void* const place = word_of(word);
    const T old = static_cast<T>(simulated::begin_update(place, sizeof(T), order));
    simulated::end_update(place, sizeof(T), change(old), true, order);
    return old;
  }

  template <class T>
  static bool compare_exchange(volatile T* word, T* expected, T desired, bool weak,
                               std::memory_order success, std::memory_order failure) {
    void* const place = word_of(word);
    const T seen =
        static_cast<T>(simulated::begin_compare(place, sizeof(T), *expected, success, failure));
    const bool equal = seen == *expected && !(weak && simulated::fails_spuriously());
    simulated::end_update(place, sizeof(T), desired, equal, equal ? success : failure);
    if (!equal) *expected = seen;
    return equal;
  }

  static void fence(std::memory_order order) { simulated::fence(order); }

  static void ignore_races(int change) {
    if (World* const world = World::of_program()) world->ignore_races(change);
  }

  // This is inlined into the entry point. So the entry point's return address is the place of the
  // access in the code.
  [[gnu::always_inline]] static void plain(const void* place, std::size_t bytes, bool writes) {
    if (World* const world = World::of_program()) {
      world->plain_access({place, bytes, writes, __builtin_return_address(0)});
    }
  }

  [[gnu::always_inline]] static void volatile_access(const void* place, std::size_t bytes,
                                                     bool writes) {
    if (World* const world = World::of_program()) {
      world->volatile_access({place, bytes, writes, __builtin_return_address(0)});
    }
  }
};

}  // namespace

#include "harness/stress/instrumentation/entry_points.h"

#endif
