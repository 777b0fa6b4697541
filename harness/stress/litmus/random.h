// SPDX-License-Identifier: Apache-2.0

// Random: pseudorandom numbers whose generator costs nothing to make. An execution on simulated
// threads makes several generators and takes only some microseconds, so a generator with much state
// would take a part of its time.
#pragma once

#include <cstdint>
#include <limits>

namespace lockbench::stress {

// Meets the requirements of a uniform random bit generator. Not for cryptography.
//
// Source  G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  constexpr result_type operator()() {
    std::uint64_t bits = state_ += kIncrement;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
    return bits ^ (bits >> 31);
  }

 private:
  static constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15ULL;  // odd: the period is 2^64

  std::uint64_t state_;
};

}  // namespace lockbench::stress
