// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "harness/observe/observation/observation.h"

namespace lockbench {
namespace {

// Moments of the logarithms of ranks 1 to n under Zipf's law with this exponent.
struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments log_rank_moments(std::size_t ranks, double exponent) {
  double weight = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t rank = 1; rank <= ranks; ++rank) {
    const double log_rank = std::log(static_cast<double>(rank));
    const double w = std::exp(-exponent * log_rank);
    weight += w;
    sum += w * log_rank;
    squares += w * log_rank * log_rank;
  }
  const double mean = sum / weight;
  return {mean, squares / weight - mean * mean};
}

}  // namespace

// The likelihood is greatest where the mean logarithm of the ranks is the one that the law expects,
// which falls as the exponent grows. The ranks are those of the counts themselves, so equally
// popular locks with few acquisitions look a little unequal.
Popularity popularity_of(std::vector<std::uint64_t> counts) {
  std::erase(counts, 0);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  Popularity result{.locks = counts.size()};
  const double total = std::accumulate(
      counts.begin(), counts.end(), 0.0,
      [](double sum, std::uint64_t count) { return sum + static_cast<double>(count); });
  if (counts.empty()) return result;
  result.hottest_share = static_cast<double>(counts.front()) / total;
  if (counts.size() == 1) return result;
  double seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += static_cast<double>(counts[i]) * std::log(static_cast<double>(i + 1));
  }
  seen /= total;
  constexpr double kMostExponent = 10;
  double low = 0;
  double high = kMostExponent;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (log_rank_moments(counts.size(), middle).mean > seen ? low : high) = middle;
  }
  result.zipf = (low + high) / 2;
  if (result.zipf < 1e-6) result.zipf = 0;
  const double variance = log_rank_moments(counts.size(), result.zipf).variance;
  if (variance > 0) result.zipf_error = 1 / std::sqrt(total * variance);
  return result;
}

std::uint64_t hot_locks_of(std::vector<std::uint64_t> contended) {
  std::sort(contended.begin(), contended.end(), std::greater<>());
  std::uint64_t all = 0;
  for (const std::uint64_t one : contended) all += one;
  std::uint64_t seen = 0;
  std::uint64_t hot = 0;
  while (seen * 10 < all * 9) seen += contended[hot++];
  return hot;
}

}  // namespace lockbench
