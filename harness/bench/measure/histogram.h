// SPDX-License-Identifier: Apache-2.0

// Histogram: counts of times in ns, in buckets that grow with the value.
//
// Guarantees   A value and the middle of its bucket differ by at most 1.6 % (exact below 32 ns).
//              record() takes 2-3 ns and never allocates. Adding histograms loses nothing.
// Not offered  Concurrent recording: one thread records, and others read after it was joined.
//
// Layout: values below kSteps have a bucket each. Above, every octave [2^k, 2^(k+1)) is divided
// into kSteps equal buckets. Values of kLimit (18 minutes) and more are counted in the last bucket.
// The exact maximum is stored separately.
// Source       the layout of G. Tene's HdrHistogram, 2012.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "harness/bench/measure/latency_summary.h"

namespace lockbench {

class Histogram {
 public:
  void record(std::uint64_t ns) {
    ++counts_[bucket_of(std::min(ns, kLimit - 1))];
    sum_ += ns;
    max_ = std::max(max_, ns);
  }

  void add(const Histogram& other);

  std::uint64_t samples() const;
  LatencySummary summary() const;

  static constexpr std::uint32_t kStepBits = 5;
  static constexpr std::uint64_t kSteps = 1 << kStepBits;
  static constexpr std::uint32_t kLimitBits = 40;
  static constexpr std::uint64_t kLimit = std::uint64_t{1} << kLimitBits;
  static constexpr std::size_t kBuckets = (kLimitBits - kStepBits + 1) * kSteps;

  // The bucket of a value below kLimit.
  static constexpr std::size_t bucket_of(std::uint64_t ns) {
    if (ns < kSteps) return ns;
    const std::uint32_t octave = static_cast<std::uint32_t>(std::bit_width(ns)) - 1 - kStepBits;
    return ((std::size_t{octave} + 1) << kStepBits) + ((ns >> octave) - kSteps);
  }

  // The smallest and the greatest value of a bucket.
  static constexpr std::uint64_t low_of(std::size_t bucket) {
    if (bucket < kSteps) return bucket;
    const std::size_t octave = (bucket >> kStepBits) - 1;
    return (kSteps + (bucket & (kSteps - 1))) << octave;
  }
  static constexpr std::uint64_t high_of(std::size_t bucket) { return low_of(bucket + 1) - 1; }

 private:
  std::array<std::uint32_t, kBuckets> counts_{};  // part of the object: processes share it
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

// The value below which a share `quantile` (0 to 1) of the samples lies: the middle of the bucket
// that contains it, but at most `max_ns`. Requires samples > 0.
double quantile_of(const std::vector<LatencyBucket>& buckets, std::uint64_t samples,
                   double quantile, double max_ns);

}  // namespace lockbench
