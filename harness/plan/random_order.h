// Random order: the same on every machine and with every standard library, from a seed.
//
// The standard's shuffle and distributions leave their results to the library; a plan must not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace lockbench::internal {

// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
// 2014): every seed is good, also 0 and neighbours.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // Uniform below `bound`, which is at least 1: draws of the incomplete last round are refused.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t refused = (0 - bound) % bound;
    std::uint64_t drawn = next();
    while (drawn < refused) drawn = next();
    return drawn % bound;
  }

 private:
  std::uint64_t state_;
};

// 0 to count - 1 in an order of which every one is equally likely (Fisher-Yates).
inline std::vector<std::size_t> random_order(std::size_t count, SplitMix64& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random.below(left)]);
  }
  return order;
}

}  // namespace lockbench::internal
