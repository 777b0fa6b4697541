// SPDX-License-Identifier: Apache-2.0

// Connects the accesses of instrumented code to the current world. So a lock that uses std::atomic,
// fences or compiler builtins is simulated like a lock that uses lockbench::platform.

// In a build with ThreadSanitizer, the sanitizer itself provides the entry points.
#if !defined(__SANITIZE_THREAD__)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "harness/stress/explore/calls/library_orders.h"
#include "harness/stress/explore/world/world.h"

namespace {

using lockbench::stress::explore::order_of_library;
using lockbench::stress::explore::World;

// Functions that use their return address are inlined into the entry points, whose return addresses
// are the addresses of the accesses in the code.
struct Accesses {
  // The world of an access, which knows the word and the code of the access then. Null: there is
  // no simulation.
  template <class T>
  [[gnu::always_inline]] static World* world_of(T* word) {
    World* const world = World::current();
    if (world == nullptr) return nullptr;
    if (World::of_program() != nullptr) world->add_unannounced_word(word, sizeof(T));
    world->at_instrumented(__builtin_return_address(0));
    return world;
  }

  template <class T>
  [[gnu::always_inline]] static T load(const volatile T* word, std::memory_order order) {
    T* const location = const_cast<T*>(word);
    World* const world = world_of(location);
    return world == nullptr ? *location : static_cast<T>(world->load(location, sizeof(T), order));
  }

  template <class T>
  [[gnu::always_inline]] static void store(volatile T* word, T value, std::memory_order order) {
    T* const location = const_cast<T*>(word);
    if (World* const world = world_of(location)) {
      world->store(location, sizeof(T), value, order);
    } else {
      *location = value;
    }
  }

  template <class T, class Change>
  [[gnu::always_inline]] static T update(volatile T* word, Change change, std::memory_order order) {
    T* const location = const_cast<T*>(word);
    World* const world = world_of(location);
    if (world == nullptr) {
      const T old = *location;
      *location = change(old);
      return old;
    }
    if constexpr (sizeof(T) == sizeof(void*)) {
      order = order_of_library(__builtin_return_address(0), order);
    }
    const T old = static_cast<T>(world->begin_update(location, sizeof(T), order));
    world->end_update(location, sizeof(T), change(old), true, order);
    return old;
  }

  template <class T>
  [[gnu::always_inline]] static bool compare_exchange(volatile T* word, T* expected, T desired,
                                                      bool weak, std::memory_order success,
                                                      std::memory_order failure) {
    T* const location = const_cast<T*>(word);
    World* const world = world_of(location);
    const T seen = world == nullptr ? *location
                                    : static_cast<T>(world->begin_compare(
                                          location, sizeof(T), *expected, success, failure));
    const bool equal =
        seen == *expected && !(weak && world != nullptr && world->fails_spuriously());
    if (world != nullptr) {
      world->end_update(location, sizeof(T), desired, equal, equal ? success : failure);
    } else if (equal) {
      *location = desired;
    }
    if (!equal) *expected = seen;
    return equal;
  }

  [[gnu::always_inline]] static void fence(std::memory_order order) {
    World* const world = World::current();
    if (world == nullptr) return;
    world->at_instrumented(__builtin_return_address(0));
    world->fence(order);
  }

  static void compiler_fence(std::memory_order order) {
    if (World* const world = World::current()) world->compiler_fence(order);
  }

  static void ignore_races(int change) {
    if (World* const world = World::of_program()) world->ignore_races(change);
  }

  [[gnu::always_inline]] static void plain(const void* location, std::size_t bytes, bool writes) {
    if (World* const world = World::of_program()) {
      world->plain_access({location, bytes, writes, __builtin_return_address(0)});
    }
  }

  [[gnu::always_inline]] static void volatile_access(const void* location, std::size_t bytes,
                                                     bool writes) {
    if (World* const world = World::of_program()) {
      world->volatile_access({location, bytes, writes, __builtin_return_address(0)});
    }
  }

  [[gnu::always_inline]] static void frame_ends(const void* frame) {
    if (World* const world = World::current()) world->frame_ends(frame);
  }
};

}  // namespace

#include "harness/stress/simulated/entry_points.h"

#endif
