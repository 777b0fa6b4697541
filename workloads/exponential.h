// SPDX-License-Identifier: Apache-2.0

// Exponential: random factors with an exponential distribution and the mean 1, as the times between
// independent requests have it; or random indices in another distribution.
//
// Guarantees   Of each kSize factors from the first on, one is of each 1/kSize of the distribution,
//              in random order: so their mean is exactly 1, and short measurements vary less than
//              with independent factors. A factor takes a constant time, some 2 ns. The same holds
//              for the entries of any list, if its size divides kSize.
// Not offered  Factors above 7.9: the rarest 1/kSize of the distribution have their mean.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "workloads/random.h"

namespace lockbench {

class Exponential {
 public:
  static constexpr std::size_t kSize = 1024;

  explicit Exponential(std::uint64_t seed) : random_(seed) {}

  double next() { return table()[next_index()]; }

  // An entry of the list, which is not empty.
  template <class List>
  const auto& next_of(const List& list) {
    return list[next_index() * list.size() / kSize];
  }

 private:
  using Table = std::array<double, kSize>;

  std::uint64_t next_index() {
    if (left_-- == 0) begin_order();
    // Every index once in kSize steps (Hull and Dobell's theorem: the factor is 1 modulo 4, the
    // increment odd).
    index_ = (index_ * factor_ + increment_) % kSize;
    return index_;
  }

  [[gnu::noinline]] void begin_order() {
    left_ = kSize - 1;
    factor_ = 4 * random_.below(kSize / 4) + 1;
    increment_ = 2 * random_.below(kSize / 2) + 1;
    index_ = random_.below(kSize);
  }

  // Entry i is the mean of the distribution between its quantiles i / kSize and (i + 1) / kSize.
  static const Table& table() {
    static const Table made = [] {
      // The integral of -log(q) from q to 1.
      const auto integral = [](double q) { return q == 0 ? 1.0 : 1 - q + q * std::log(q); };
      Table means{};
      for (std::size_t i = 0; i < kSize; ++i) {
        const double from = 1 - static_cast<double>(i) / kSize;
        const double to = 1 - static_cast<double>(i + 1) / kSize;
        means[i] = (integral(to) - integral(from)) * kSize;
      }
      return means;
    }();
    return made;
  }

  Random random_;
  std::size_t left_ = 0;  // of the present order
  std::uint64_t index_ = 0;
  std::uint64_t factor_ = 1;
  std::uint64_t increment_ = 1;
};

}  // namespace lockbench
