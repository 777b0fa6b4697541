// SPDX-License-Identifier: Apache-2.0

// Connects the library calls of a simulated program to the current world.

#include <absl/strings/str_cat.h>

#include "harness/stress/explore/world/world.h"
#include "harness/stress/simulated/simulated_program.h"
#include "harness/symbols/function_names.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress {
namespace {

using explore::World;
namespace simulated = platform::simulated;

// Its functions are called only while a world executes a program.
class WorldProgram final : public SimulatedProgram {
 public:
  void end_because_of(const char* what, const void* caller) override {
    const World::UntrackedScope untracked(world());
    world().refuse(
        absl::StrCat(function_at(caller), " calls ", what, ", which a simulation cannot decide"));
  }

  void at(const void* return_address) override { world().at(return_address); }
  void add_unannounced_word(const void* word, unsigned bytes) override {
    world().add_unannounced_word(word, bytes);
  }

  WaitEnd wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns,
               Channels channels) override {
    switch (world().wait(word, expected, deadline_ns, channels, true)) {
      case World::WaitEnd::kInterrupted:
        return WaitEnd::kInterrupted;
      case World::WaitEnd::kWoken:
        return WaitEnd::kWoken;
      case World::WaitEnd::kChanged:
        return WaitEnd::kChanged;
      case World::WaitEnd::kTimedOut:
        break;
    }
    return WaitEnd::kTimedOut;
  }
  int wake(const void* word, int count, Channels channels) override {
    return world().wake(word, count, channels);
  }
  int requeue(const void* from, const void* to, int wakes, int moves,
              std::optional<std::uint32_t> expected, Channels channels) override {
    return world().requeue(from, to, wakes, moves, expected, channels);
  }

  void note_mutex(const void* mutex, bool acquired) override {
    world().note_mutex(mutex, acquired);
  }

  void yield() override { simulated::pause(); }
  void spin_while_held(void*) override { simulated::pause(); }
  int processor() override { return static_cast<int>(world().processor()); }
  // The node of one of the two processors. As libnuma, -1 for one that does not exist.
  int node_of(int processor) const override { return (processor & ~1) == 0 ? processor : -1; }

  std::byte* thread_block(std::size_t module) override { return world().thread_block(module); }
  std::byte* add_thread_block(std::size_t module, std::size_t bytes) override {
    return world().add_thread_block(module, bytes);
  }
  void destroy_at_end_of_thread(void (*destroy)(void*), void* object) override {
    world().destroy_at_end_of_thread(destroy, object);
  }

 private:
  static World& world() { return *World::current(); }
};

}  // namespace

SimulatedProgram* SimulatedProgram::running() {
  static WorldProgram program;
  return World::of_program() == nullptr ? nullptr : &program;
}

}  // namespace lockbench::stress
