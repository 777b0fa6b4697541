// SPDX-License-Identifier: Apache-2.0

// LatencySummary: the summary of a histogram of times.
#pragma once

#include <cstdint>
#include <vector>

namespace lockbench {

// A non-empty bucket of a histogram: values from low_ns to high_ns, both included.
struct LatencyBucket {
  std::uint64_t low_ns = 0;
  std::uint64_t high_ns = 0;
  std::uint64_t count = 0;

  bool operator==(const LatencyBucket&) const = default;
};

// Distribution of one kind of time, over all threads of a trial.
struct LatencySummary {
  std::uint64_t samples = 0;
  double mean_ns = 0;
  double p50_ns = 0;  // quantiles are off by at most 1.6 %; the maximum is exact
  double p90_ns = 0;
  double p99_ns = 0;
  double p999_ns = 0;
  double max_ns = 0;
  std::vector<LatencyBucket> buckets;  // ascending, without empty buckets

  bool operator==(const LatencySummary&) const = default;
};

// Calls `visit(name, member)` for each figure except the buckets.
template <class L, class Visit>
void figures(L& latency, const Visit& visit) {
  visit("samples", latency.samples);
  visit("mean_ns", latency.mean_ns);
  visit("p50_ns", latency.p50_ns);
  visit("p90_ns", latency.p90_ns);
  visit("p99_ns", latency.p99_ns);
  visit("p999_ns", latency.p999_ns);
  visit("max_ns", latency.max_ns);
}

}  // namespace lockbench
