// SPDX-License-Identifier: Apache-2.0

// LatencyJson: a distribution of times as JSON, in a sample and in observed.json: its figures, and
// its buckets as lists of [low_ns, high_ns, count].
#pragma once

#include "harness/base/json_fields.h"
#include "harness/bench/measure/sample.h"

namespace lockbench {

inline internal::ordered_json json_of_value(const LatencyBucket& bucket) {
  return {bucket.low_ns, bucket.high_ns, bucket.count};
}

inline const char* take(const internal::json& value, LatencyBucket& out) {
  using internal::take;
  const bool fits = value.is_array() && value.size() == 3 &&
                    take(value[0], out.low_ns) == nullptr &&
                    take(value[1], out.high_ns) == nullptr && take(value[2], out.count) == nullptr;
  return fits ? nullptr : "[low_ns, high_ns, count]";
}

template <EitherConst<LatencySummary> T, class Visit>
void json_fields(T& latency, Visit&& visit) {
  figures(latency, [&visit](const char* name, auto& figure) { visit(name, figure); });
  visit("buckets", latency.buckets);
}

}  // namespace lockbench
