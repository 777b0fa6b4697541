// SPDX-License-Identifier: Apache-2.0

// Random: a small generator that returns the same numbers on every machine and standard library.
//
// Guarantees   The same sequence for the same seed, everywhere. The bias of below() is less than
//              2^-32 for the counts used here, which no measurement can detect.
//              A generator costs nothing to make. It meets the requirements of a uniform random bit
//              generator.
// Not offered  Numbers for security.
// Source       S. Vigna, SplitMix64, 2015; D. Lemire, "Fast Random Integer Generation in an
//              Interval", 2019.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace lockbench {

class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed) : state_(seed) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return next(); }

  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  // Uniform in [0, bound); bound is at least 1.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Fisher and Yates' shuffle.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  std::uint64_t state_;
};

// Derives a seed for a part of an object that has a seed itself.
inline std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t part) {
  return Random(seed ^ (part * 0xd1342543de82ef95)).next();
}

}  // namespace lockbench
