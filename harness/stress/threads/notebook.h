// SPDX-License-Identifier: Apache-2.0

// Notebook: where a player writes what it wants, has and gives back.
#pragma once

#include <cstdint>

namespace lockbench::stress::threads {

struct Entry {
  std::uint64_t moment = 0;
  std::uint32_t act = 0;  // the take, by its place among the acts of the player
  std::uint32_t lease = 0;
  bool takes = false;  // else lets go
};

// Each call is made by player number `player`.
class Notebook {
 public:
  virtual ~Notebook() = default;

  // It waits for what act number `act` takes; it waits no more.
  virtual void wants(std::uint32_t player, std::uint32_t act) = 0;
  virtual void wants_nothing(std::uint32_t player) = 0;

  // It has taken, or is about to let go. The notebook says at which moment that is.
  virtual void note(std::uint32_t player, Entry entry) = 0;
};

}  // namespace lockbench::stress::threads
