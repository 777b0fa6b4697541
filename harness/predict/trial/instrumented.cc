// SPDX-License-Identifier: Apache-2.0

// Charges the accesses of instrumented code to the machine. So a lock that uses std::atomic, fences
// or compiler builtins is predicted like a lock that uses lockbench::platform.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "harness/predict/machine/simulation.h"

namespace {

using lockbench::machine::Simulation;

struct Accesses {
  template <class T>
  static T load(const volatile T* word, std::memory_order) {
    T* const location = const_cast<T*>(word);
    Simulation* const simulation = Simulation::current();
    if (simulation == nullptr) return *location;
    return static_cast<T>(simulation->load(location, sizeof(T)));
  }

  // As on x86, a store waits in the buffer, unless it is sequentially consistent.
  template <class T>
  static void store(volatile T* word, T value, std::memory_order order) {
    T* const location = const_cast<T*>(word);
    Simulation* const simulation = Simulation::current();
    if (simulation == nullptr) {
      *location = value;
    } else if (order != std::memory_order_seq_cst && simulation->is_on_stack(location)) {
      simulation->store_at_once(location, sizeof(T), value);
    } else {
      simulation->store(location, sizeof(T), value, order != std::memory_order_seq_cst);
    }
  }

  template <class T, class Change>
  static T update(volatile T* word, Change change, std::memory_order) {
    T* const location = const_cast<T*>(word);
    Simulation* const simulation = Simulation::current();
    if (simulation == nullptr) {
      const T old = *location;
      *location = change(old);
      return old;
    }
    const T old = static_cast<T>(simulation->begin_update(location, sizeof(T)));
    simulation->end_update(location, sizeof(T), change(old), true);
    return old;
  }

  template <class T>
  static bool compare_exchange(volatile T* word, T* expected, T desired, bool, std::memory_order,
                               std::memory_order) {
    T* const location = const_cast<T*>(word);
    Simulation* const simulation = Simulation::current();
    const T seen = simulation == nullptr
                       ? *location
                       : static_cast<T>(simulation->begin_update(location, sizeof(T)));
    const bool equal = seen == *expected;
    if (simulation != nullptr) {
      simulation->end_update(location, sizeof(T), desired, equal);
    } else if (equal) {
      *location = desired;
    }
    if (!equal) *expected = seen;
    return equal;
  }

  static void fence(std::memory_order order) {
    Simulation* const simulation = Simulation::current();
    if (simulation != nullptr && order == std::memory_order_seq_cst) simulation->fence();
  }

  // It costs the processor nothing.
  static void compiler_fence(std::memory_order) {}

  static void ignore_races(int) {}

  static void plain(const void* location, std::size_t bytes, bool writes) {
    if (Simulation* const simulation = Simulation::current()) {
      simulation->touch(location, bytes, writes);
    }
  }

  // Others may poll the location, so the access happens at its time, and costs what an atomic one
  // does. The code writes after this call: it cannot wait in the buffer, and so it waits for its
  // line.
  static void volatile_access(const void* location, std::size_t bytes, bool writes) {
    Simulation* const simulation = Simulation::current();
    if (simulation == nullptr) return;
    if (writes) {
      simulation->prepare_store(location);
    } else {
      simulation->load(location, bytes < 8 ? static_cast<unsigned>(bytes) : 8);
    }
  }

  static void frame_ends(const void*) {}
};

}  // namespace

#include "harness/stress/simulated/entry_points.h"

// The pauses of code that was compiled with <lockbench/count_pauses.h> call this function in their
// place, anywhere in a function: it keeps all registers and flags.
extern "C" void lockbench_charge_pause() {
  if (Simulation* const simulation = Simulation::current()) simulation->pause();
}

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl lockbench_pause
.type lockbench_pause, @function
lockbench_pause:
  pushfq
  pushq %rbp
  movq %rsp, %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  subq $512, %rsp
  andq $-64, %rsp
  fxsave64 (%rsp)
  cld
  call lockbench_charge_pause
  fxrstor64 (%rsp)
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  popfq
  ret
.size lockbench_pause, . - lockbench_pause
)");
#endif
