// SPDX-License-Identifier: Apache-2.0

// Fibre: a stack and the position at which its code continues. A jump switches from the running
// fibre to another one.
//
// Guarantees   A switch takes a few nanoseconds and no system call. On any fibre, exceptions may be
//              thrown, caught and in flight while others run.
// Not offered  Unwinding: if a fibre does not run to its end, the objects on its stack are not
//              destroyed. So users keep the memory of fibres in an Arena.
// Requires     One thread uses all fibres.
#pragma once

#include <cstddef>

namespace lockbench::stress::explore {

class Fibre {
 public:
  // The fibre that the caller runs on, so that a later jump can return to it.
  Fibre() = default;
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // The function that a fibre runs. It never returns: it jumps to another fibre at its end.
  using Body = void (*)(void* argument);

  // Makes this fibre run body(argument) on [stack, stack + bytes) at the first jump to it.
  void prepare(std::byte* stack, std::size_t bytes, Body body, void* argument);

  // Leaves `from`, which is running, and continues in `to`.
  static void jump(Fibre& from, Fibre& to);

  // Where the stack of a fibre ended when it was left: what lies below is of functions that have
  // returned.
  const void* stack_pointer() const { return stack_pointer_; }

 private:
  // The data that the C++ runtime keeps for each thread about exceptions in flight
  // (__cxa_eh_globals).
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  void* stack_pointer_ = nullptr;
  Exceptions exceptions_;
};

}  // namespace lockbench::stress::explore
