// SPDX-License-Identifier: Apache-2.0

// Key census: the memory that a primitive with a lock per key uses for one key, in use and idle.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "primitives/concepts.h"

namespace lockbench {

struct KeyBytes {
  double live = 0;  // of a key that is held: its handle, and the primitive's memory for it
  double idle = 0;  // of a key that was held before: the memory that the primitive still keeps
};

// Holds kCounted new keys at once and releases them. It calls lock_bytes() before, between and
// after. No other thread may use the primitive during this time.
template <class P, Key K>
[[gnu::cold]] KeyBytes count_key_bytes(P& primitive) {
  constexpr std::size_t kCounted = 1000;
  const auto key_of = [](std::size_t i, const std::string& name) {
    if constexpr (std::same_as<K, std::uint64_t>) {
      return (std::uint64_t{1} << 40) + i;
    } else {
      return std::string_view(name);
    }
  };
  struct Held {
    Held(P& owner, K key) : handle(owner.handle(key)) {}
    HandleOf<P, K> handle;
  };
  std::vector<std::string> names(kCounted);
  std::vector<std::unique_ptr<Held>> held;
  const std::size_t before = primitive.lock_bytes();
  for (std::size_t i = 0; i < kCounted; ++i) {
    names[i] = "census-" + std::to_string(i);
    held.push_back(std::make_unique<Held>(primitive, key_of(i, names[i])));
    held.back()->handle.lock();
  }
  const std::size_t live = primitive.lock_bytes();
  for (const auto& one : held) one->handle.unlock();
  const std::size_t idle = primitive.lock_bytes();
  const auto per_key = [before](std::size_t bytes) {
    return (static_cast<double>(bytes) - static_cast<double>(before)) / kCounted;
  };
  return {.live = per_key(live) + sizeof(HandleOf<P, K>), .idle = per_key(idle)};
}

}  // namespace lockbench
