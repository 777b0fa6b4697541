// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/histogram.h"

#include <cmath>
#include <numeric>

namespace lockbench {

void Histogram::add(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

std::uint64_t Histogram::samples() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

LatencySummary Histogram::summary() const {
  LatencySummary summary;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (counts_[i] == 0) continue;
    summary.buckets.push_back({.low_ns = low_of(i), .high_ns = high_of(i), .count = counts_[i]});
  }
  summary.samples = samples();
  if (summary.samples == 0) return summary;
  const auto quantile = [&](double share) {
    return quantile_of(summary.buckets, summary.samples, share, static_cast<double>(max_));
  };
  summary.mean_ns = static_cast<double>(sum_) / static_cast<double>(summary.samples);
  summary.p50_ns = quantile(0.5);
  summary.p90_ns = quantile(0.9);
  summary.p99_ns = quantile(0.99);
  summary.p999_ns = quantile(0.999);
  summary.max_ns = static_cast<double>(max_);
  return summary;
}

double quantile_of(const std::vector<LatencyBucket>& buckets, std::uint64_t samples,
                   double quantile, double max_ns) {
  const auto rank =
      static_cast<std::uint64_t>(std::max(1.0, std::ceil(quantile * static_cast<double>(samples))));
  std::uint64_t seen = 0;
  for (const LatencyBucket& bucket : buckets) {
    seen += bucket.count;
    if (seen >= rank) {
      return std::min(static_cast<double>(bucket.low_ns + bucket.high_ns) / 2, max_ns);
    }
  }
  return max_ns;
}

}  // namespace lockbench
