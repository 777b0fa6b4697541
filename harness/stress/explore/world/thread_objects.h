// SPDX-License-Identifier: Apache-2.0

// ThreadObjects: what the threads of a program have each for themselves: their copies of
// thread-local variables, the objects that they make when they first need them, and what is to be
// destroyed at their ends.
//
// Not offered  The objects themselves: they lie in the program's memory and end with it.
// Requires     What adds is called from outside of the program's memory (World::UntrackedScope).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/explore/memory/arena.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress::explore {

class ThreadObjects {
 public:
  using Maker = platform::simulated::Maker;

  // destroy(object) is to be called at the end of the thread.
  struct AtEnd {
    std::uint32_t thread;
    void (*destroy)(void*);
    void* object;
  };

  void clear();

  // The thread's copy of a module's thread-local variables; null until it was added.
  std::byte* block(std::uint32_t thread, std::size_t module) const;
  void add_block(std::uint32_t thread, std::size_t module, std::byte* block);

  // The object that `maker` made for the thread; null until it was added.
  void* made_by(Maker maker, std::uint32_t thread) const;
  void add_made(Maker maker, std::uint32_t thread, void* object);

  void add_at_end(const AtEnd& one) { at_end_.push_back(one); }
  // Removes what was added last for the end of this thread, and returns it; absent if nothing is
  // left.
  std::optional<AtEnd> take_at_end(std::uint32_t thread);

  // Adds the locations of the pointers to all these objects.
  void add_roots(std::vector<AddressRange>& roots) const;

 private:
  struct Block {
    std::uint32_t thread;
    std::size_t module;
    std::byte* location;
  };
  struct Made {
    std::uint32_t thread;
    Maker maker;
    void* object;
  };

  std::vector<Block> blocks_;
  std::vector<Made> made_;
  std::vector<AtEnd> at_end_;
};

}  // namespace lockbench::stress::explore
