// SPDX-License-Identifier: Apache-2.0

// Fibre: a stack of its own and a place to go on from; who runs changes by a jump.
//
// Guarantees   a switch costs some nanoseconds and no system call; exceptions may be thrown, caught
//              and be under way on any fibre while others run.
// Not offered  unwinding: a fibre that is not run to its end is forgotten as it stands, with all
//              that lies on its stack. Whoever uses fibres keeps their memory in an Arena.
// Requires     all of them used by one thread.
#pragma once

#include <cstddef>

namespace lockbench::stress::explore {

class Fibre {
 public:
  // The fibre that the caller is; to come back to.
  Fibre() = default;
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // What a fibre runs. It never returns: it jumps away for good.
  using Body = void (*)(void* argument);

  // Makes this fibre one that will run body(argument) on [stack, stack + bytes) when it is first
  // jumped to.
  void prepare(std::byte* stack, std::size_t bytes, Body body, void* argument);

  // Leaves `from`, which is running, and goes on in `to`.
  static void jump(Fibre& from, Fibre& to);

 private:
  // What the C++ runtime keeps per thread of exceptions under way (__cxa_eh_globals).
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  void* stack_pointer_ = nullptr;
  Exceptions exceptions_;
};

}  // namespace lockbench::stress::explore
