// SPDX-License-Identifier: Apache-2.0

// Entry points of instrumented code: the functions that a compiler calls before plain accesses and
// in place of atomic ones under -fsanitize=thread. So any lock that is compiled in this way can run
// on simulated threads or be delayed between any two accesses.
//
// One source file of a program includes this header. It first defines `Accesses`:
//
//   struct Accesses {
//     template <class T> static T load(const volatile T* word, std::memory_order);
//     template <class T> static void store(volatile T* word, T value, std::memory_order);
//     // Returns the old value.
//     template <class T, class Change>
//     static T update(volatile T* word, Change change, std::memory_order);
//     template <class T>
//     static bool compare_exchange(volatile T* word, T* expected, T desired, bool weak,
//                                  std::memory_order success, std::memory_order failure);
//     static void fence(std::memory_order);
//     // A fence for the compiler alone (std::atomic_signal_fence).
//     static void compiler_fence(std::memory_order);
//     // The next two are called before the access.
//     static void plain(const void* location, std::size_t bytes, bool writes);
//     static void volatile_access(const void* location, std::size_t bytes, bool writes);
//     // 1: the races of this thread are intended from here on; -1: no longer.
//     static void ignore_races(int change);
//     // A function returns whose local variables lie below `frame`.
//     static void frame_ends(const void* frame);
//   };
//
// Not offered  Atomics of 16 bytes: code that uses them cannot be loaded.
// Source       gcc and LLVM, "ThreadSanitizer": the interface between compiler and runtime.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lockbench::stress::internal {

inline std::memory_order order_of(int order) {
  return static_cast<std::memory_order>(order & 0x7fff);  // the higher bits are hints for hardware
}

// How many bytes of each text a comparison of at most `most` looks at.
inline std::size_t bytes_compared(const char* a, const char* b, std::size_t most) {
  std::size_t same = 0;
  while (same < most && a[same] == b[same] && a[same] != 0) ++same;
  return same == most ? most : same + 1;
}

}  // namespace lockbench::stress::internal

// The compiler prescribes these names.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
#define LOCKBENCH_UPDATE(bits, name, result)                                                 \
  std::uint##bits##_t __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* word,       \
                                                   std::uint##bits##_t operand, int order) { \
    using T = std::uint##bits##_t;                                                           \
    return Accesses::update<T>(                                                              \
        word, [operand]([[maybe_unused]] T old) { return static_cast<T>(result); },          \
        lockbench::stress::internal::order_of(order));                                       \
  }

// After `function`: the type of one more parameter, which is not used.
#define LOCKBENCH_COPY(name, function, ...)                                              \
  void* name(void* to, const void* from, std::size_t bytes __VA_OPT__(, ) __VA_ARGS__) { \
    Accesses::plain(from, bytes, false);                                                 \
    Accesses::plain(to, bytes, true);                                                    \
    return std::function(to, from, bytes);                                               \
  }

#define LOCKBENCH_FILL(name, ...)                                                 \
  void* name(void* to, int value, std::size_t bytes __VA_OPT__(, ) __VA_ARGS__) { \
    Accesses::plain(to, bytes, true);                                             \
    return std::memset(to, value, bytes);                                         \
  }

#define LOCKBENCH_COMPARE_BYTES(name)                         \
  int name(const void* a, const void* b, std::size_t bytes) { \
    Accesses::plain(a, bytes, false);                         \
    Accesses::plain(b, bytes, false);                         \
    return std::memcmp(a, b, bytes);                          \
  }

#define LOCKBENCH_COMPARE_EXCHANGE(bits, name, is_weak)                                        \
  int __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* word,                         \
                                   std::uint##bits##_t* expected, std::uint##bits##_t desired, \
                                   int success, int failure) {                                 \
    return static_cast<int>(Accesses::compare_exchange<std::uint##bits##_t>(                   \
        word, expected, desired, is_weak, lockbench::stress::internal::order_of(success),      \
        lockbench::stress::internal::order_of(failure)));                                      \
  }

#define LOCKBENCH_ATOMIC(bits)                                                                    \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* word,        \
                                                 int order) {                                     \
    return Accesses::load<std::uint##bits##_t>(word,                                              \
                                               lockbench::stress::internal::order_of(order));     \
  }                                                                                               \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* word, std::uint##bits##_t value, \
                                   int order) {                                                   \
    Accesses::store<std::uint##bits##_t>(word, value,                                             \
                                         lockbench::stress::internal::order_of(order));           \
  }                                                                                               \
  LOCKBENCH_UPDATE(bits, exchange, operand)                                                       \
  LOCKBENCH_UPDATE(bits, fetch_add, old + operand)                                                \
  LOCKBENCH_UPDATE(bits, fetch_sub, old - operand)                                                \
  LOCKBENCH_UPDATE(bits, fetch_and, old& operand)                                                 \
  LOCKBENCH_UPDATE(bits, fetch_or, old | operand)                                                 \
  LOCKBENCH_UPDATE(bits, fetch_xor, old ^ operand)                                                \
  LOCKBENCH_UPDATE(bits, fetch_nand, ~(old & operand))                                            \
  LOCKBENCH_COMPARE_EXCHANGE(bits, compare_exchange_strong, false)                                \
  LOCKBENCH_COMPARE_EXCHANGE(bits, compare_exchange_weak, true)                                   \
  std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                 \
      volatile std::uint##bits##_t* word, std::uint##bits##_t expected,                           \
      std::uint##bits##_t desired, int success, int failure) {                                    \
    Accesses::compare_exchange<std::uint##bits##_t>(                                              \
        word, &expected, desired, false, lockbench::stress::internal::order_of(success),          \
        lockbench::stress::internal::order_of(failure));                                          \
    return expected;                                                                              \
  }

#define LOCKBENCH_ACCESS(name, bytes, call)                \
  void __tsan_##name##read##bytes(const void* location) {  \
    Accesses::call(location, bytes, false);                \
  }                                                        \
  void __tsan_##name##write##bytes(const void* location) { \
    Accesses::call(location, bytes, true);                 \
  }

#define LOCKBENCH_ACCESS_OF_ALL_SIZES(name, call) \
  LOCKBENCH_ACCESS(name, 1, call)                 \
  LOCKBENCH_ACCESS(name, 2, call)                 \
  LOCKBENCH_ACCESS(name, 4, call)                 \
  LOCKBENCH_ACCESS(name, 8, call)                 \
  LOCKBENCH_ACCESS(name, 16, call)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC diagnostic ignored "-Wframe-address"
#pragma GCC visibility push(default)
extern "C" {

LOCKBENCH_ATOMIC(8)
LOCKBENCH_ATOMIC(16)
LOCKBENCH_ATOMIC(32)
LOCKBENCH_ATOMIC(64)

void __tsan_atomic_thread_fence(int order) {
  Accesses::fence(lockbench::stress::internal::order_of(order));
}
void __tsan_atomic_signal_fence(int order) {
  Accesses::compiler_fence(lockbench::stress::internal::order_of(order));
}

LOCKBENCH_ACCESS_OF_ALL_SIZES(, plain)
LOCKBENCH_ACCESS_OF_ALL_SIZES(unaligned_, plain)
LOCKBENCH_ACCESS_OF_ALL_SIZES(volatile_, volatile_access)
LOCKBENCH_ACCESS_OF_ALL_SIZES(unaligned_volatile_, volatile_access)
LOCKBENCH_ACCESS_OF_ALL_SIZES(read_, plain)
LOCKBENCH_ACCESS_OF_ALL_SIZES(unaligned_read_, plain)

void __tsan_read_range(const void* location, std::size_t bytes) {
  Accesses::plain(location, bytes, false);
}
void __tsan_write_range(const void* location, std::size_t bytes) {
  Accesses::plain(location, bytes, true);
}
void __tsan_vptr_update(void** location, void*) {
  Accesses::plain(static_cast<const void*>(location), sizeof *location, true);
}
void __tsan_vptr_read(void** location) {
  Accesses::plain(static_cast<const void*>(location), sizeof *location, false);
}

// These functions read and write for the lock. clang calls those of __tsan_ for three of them. gcc
// calls none, so a lock that is built for a simulation is linked such that it calls the others.
LOCKBENCH_COPY(__tsan_memcpy, memcpy)
LOCKBENCH_COPY(__wrap_memcpy, memcpy)
LOCKBENCH_COPY(__wrap___memcpy_chk, memcpy, std::size_t)
LOCKBENCH_COPY(__tsan_memmove, memmove)
LOCKBENCH_COPY(__wrap_memmove, memmove)
LOCKBENCH_COPY(__wrap___memmove_chk, memmove, std::size_t)
LOCKBENCH_FILL(__tsan_memset)
LOCKBENCH_FILL(__wrap_memset)
LOCKBENCH_FILL(__wrap___memset_chk, std::size_t)
LOCKBENCH_COMPARE_BYTES(__wrap_memcmp)
LOCKBENCH_COMPARE_BYTES(__wrap_bcmp)
std::size_t __wrap_strlen(const char* text) {
  const std::size_t length = std::strlen(text);
  Accesses::plain(text, length + 1, false);
  return length;
}
int __wrap_strcmp(const char* a, const char* b) {
  const std::size_t bytes = lockbench::stress::internal::bytes_compared(a, b, SIZE_MAX);
  Accesses::plain(a, bytes, false);
  Accesses::plain(b, bytes, false);
  return std::strcmp(a, b);
}
int __wrap_strncmp(const char* a, const char* b, std::size_t most) {
  const std::size_t bytes = lockbench::stress::internal::bytes_compared(a, b, most);
  Accesses::plain(a, bytes, false);
  Accesses::plain(b, bytes, false);
  return std::strncmp(a, b, most);
}

// Sources that support the sanitizer call these around races that they intend.
void AnnotateIgnoreReadsBegin(const char*, int) {
  Accesses::ignore_races(1);
}
void AnnotateIgnoreReadsEnd(const char*, int) {
  Accesses::ignore_races(-1);
}
void AnnotateIgnoreWritesBegin(const char*, int) {
  Accesses::ignore_races(1);
}
void AnnotateIgnoreWritesEnd(const char*, int) {
  Accesses::ignore_races(-1);
}

// Such sources also announce what their locks do. The engines see that from the accesses.
void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
void AnnotateRWLockCreateStatic(const char*, int, const volatile void*) {}
void AnnotateRWLockDestroy(const char*, int, const volatile void*) {}
void AnnotateRWLockAcquired(const char*, int, const volatile void*, long) {}
void AnnotateRWLockReleased(const char*, int, const volatile void*, long) {}
void AnnotateBenignRaceSized(const char*, int, const volatile void*, std::size_t, const char*) {}
void AnnotateNewMemory(const char*, int, const volatile void*, std::size_t) {}
void __tsan_mutex_create(void*, unsigned) {}
void __tsan_mutex_destroy(void*, unsigned) {}
void __tsan_mutex_pre_lock(void*, unsigned) {}
void __tsan_mutex_post_lock(void*, unsigned, int) {}
int __tsan_mutex_pre_unlock(void*, unsigned) {
  return 0;
}
void __tsan_mutex_post_unlock(void*, unsigned) {}
void __tsan_mutex_pre_signal(void*, unsigned) {}
void __tsan_mutex_post_signal(void*, unsigned) {}
void __tsan_mutex_pre_divert(void*, unsigned) {}
void __tsan_mutex_post_divert(void*, unsigned) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {
  // All have frame pointers: LOCKBENCH_FRAMES_SEEN. A function's local variables lie below its own
  // on x86-64, and on aarch64 between its own and its caller's.
#if defined(__aarch64__)
  Accesses::frame_ends(__builtin_frame_address(2));
#else
  Accesses::frame_ends(__builtin_frame_address(1));
#endif
}
void __tsan_init() {}

}  // extern "C"
#pragma GCC visibility pop
#pragma GCC diagnostic pop
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

#undef LOCKBENCH_UPDATE
#undef LOCKBENCH_COMPARE_EXCHANGE
#undef LOCKBENCH_COPY
#undef LOCKBENCH_FILL
#undef LOCKBENCH_COMPARE_BYTES
#undef LOCKBENCH_ATOMIC
#undef LOCKBENCH_ACCESS
#undef LOCKBENCH_ACCESS_OF_ALL_SIZES
