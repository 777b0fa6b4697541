// SPDX-License-Identifier: Apache-2.0

// HeldMutexes: which thread holds which mutex of the library, as addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lockbench::stress::explore {

class HeldMutexes {
 public:
  void clear() { held_.clear(); }
  void add(const void* mutex, std::uint32_t owner) { held_.push_back({mutex, owner}); }
  void remove(const void* mutex) {
    std::erase_if(held_, [=](const Held& held) { return held.mutex == mutex; });
  }

  // Absent if no thread holds it.
  std::optional<std::uint32_t> owner_of(const void* mutex) const {
    for (const Held& held : held_) {
      if (held.mutex == mutex) return held.owner;
    }
    return std::nullopt;
  }

 private:
  struct Held {
    const void* mutex;
    std::uint32_t owner;
  };

  std::vector<Held> held_;
};

}  // namespace lockbench::stress::explore
