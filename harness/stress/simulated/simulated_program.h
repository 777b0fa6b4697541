// SPDX-License-Identifier: Apache-2.0

// SimulatedProgram: what calls of the system's library, made by a lock that is built for
// simulation, ask of the simulation in which they are made
// (harness/stress/simulated/wrapped_calls.cc and its neighbours).
//
// Shared words are reached through primitives/platform/simulated/hooks.h. This class has what the
// platform has no function for. There are two kinds of simulations: the search for wrong
// interleavings (explore/), and the model of a machine (harness/predict/trial/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lockbench::stress {

class SimulatedProgram {
 public:
  // Null outside of a simulation, and while the simulator itself executes. Each program that runs
  // simulations defines it.
  static SimulatedProgram* running();

  // A wake-up reaches a sleeper if both name a common channel. The kernel's futex has 32 (BITSET)
  // for calls that are private to a process, and 32 others for calls that are not.
  using Channels = std::uint64_t;
  enum class WaitEnd { kWoken, kChanged, kTimedOut, kInterrupted };

  // Ends the execution: the code at `caller` calls `what`, which cannot be simulated.
  [[noreturn]] void refuse_call(const char* what, const void* caller) {
    end_because_of(what, caller);
    __builtin_unreachable();
  }

  // The next access is made by the code at this return address.
  virtual void at(const void* return_address) = 0;
  // A word whose beginning nothing announced is used from now on.
  virtual void add_unannounced_word(const void* word, unsigned bytes) = 0;

  // As the kernel's futex. Times are nanoseconds of virtual time.
  virtual WaitEnd wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns,
                       Channels channels) = 0;
  // Returns the number of threads that were woken.
  virtual int wake(const void* word, int count, Channels channels) = 0;
  // Wakes some threads that sleep on one word and moves others to another word. Returns the number
  // of both. If the first word does not have the expected value, returns -1 and does nothing.
  virtual int requeue(const void* from, const void* to, int wakes, int moves,
                      std::optional<std::uint32_t> expected, Channels channels) = 0;

  // The running thread has acquired the library's mutex at this address, or is about to release it.
  virtual void note_mutex(const void*, bool /*acquired*/) {}

  // The thread lets others run.
  virtual void yield() = 0;
  // The thread polls the word of a spin lock that is held. Returns when it is worth a try again.
  virtual void spin_while_held(void* word) = 0;
  virtual int processor() = 0;
  virtual int node_of(int processor) const = 0;  // of NUMA

  // The running thread's copy of a module's thread-local variables; null until it was added.
  virtual std::byte* thread_block(std::size_t module) = 0;
  virtual std::byte* add_thread_block(std::size_t module, std::size_t bytes) = 0;
  // Calls destroy(object) at the end of the running thread.
  virtual void destroy_at_end_of_thread(void (*destroy)(void*), void* object) = 0;

 protected:
  // Does not return.
  virtual void end_because_of(const char* what, const void* caller) = 0;

  ~SimulatedProgram() = default;
};

// True if the caller is part of a simulated program, whose calls the simulation answers.
inline bool in_program() {
  return SimulatedProgram::running() != nullptr;
}

}  // namespace lockbench::stress
