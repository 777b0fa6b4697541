// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/sample_json.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

#include "harness/base/json_fields.h"
#include "harness/bench/record/latency_json.h"
#include "harness/bench/record/row.h"

namespace lockbench {

namespace {

constexpr double kRounding = 1e-6;  // ratios of counted ticks and of sums
// Bytes: 32 numbers of 64 bits and the blanks.
constexpr std::size_t kMostCounts = 32 * std::size_t{21};

absl::Status wrong(std::string_view name, std::string_view right) {
  return absl::InvalidArgumentError(absl::StrFormat("sample.%s: expected %s", name, right));
}

absl::Status check(std::string_view name, double figure, const Bounds& bounds) {
  const double slack = bounds.most * kRounding;
  const bool low = bounds.more_than_least ? figure <= bounds.least : figure < bounds.least;
  if (std::isfinite(figure) && !low && figure <= bounds.most + slack) return absl::OkStatus();
  return wrong(name, absl::StrFormat("a number %s %g to %g, found %g",
                                     bounds.more_than_least ? "above" : "from", bounds.least,
                                     bounds.most, figure));
}

absl::Status check_buckets(std::string_view name, const LatencySummary& latency) {
  std::uint64_t samples = 0;
  const LatencyBucket* before = nullptr;
  for (const LatencyBucket& bucket : latency.buckets) {
    const bool ascending = before == nullptr || before->high_ns < bucket.low_ns;
    if (!ascending || bucket.low_ns > bucket.high_ns || bucket.count == 0) {
      return wrong(name, "ascending buckets that are not empty");
    }
    samples += bucket.count;
    before = &bucket;
  }
  if (samples == latency.samples) return absl::OkStatus();
  return wrong(name,
               absl::StrFormat("%d samples in its buckets, found %d", latency.samples, samples));
}

absl::Status check(std::string_view name, const std::optional<LatencySummary>& latency) {
  if (!latency) return absl::OkStatus();
  absl::Status status;
  figures(*latency, [&](const char* figure, auto value) {
    if constexpr (std::is_same_v<decltype(value), double>) {
      status.Update(check(absl::StrFormat("%s.%s", name, figure), value, bounds_of_unit("ns")));
    }
  });
  status.Update(check_buckets(name, *latency));
  return status;
}

absl::Status check_counts(const Sample& sample) {
  const bool numbers = sample.counts.find_first_not_of("-0123456789 ") == std::string::npos;
  if (numbers && sample.counts.size() <= kMostCounts) return absl::OkStatus();
  return wrong("counts", "at most 32 whole numbers with blanks between them");
}

}  // namespace

absl::Status check_sample(const Sample& sample) {
  absl::Status status;
  fields(sample, [&status](const Field& field, const auto& figure) {
    if constexpr (std::is_same_v<decltype(figure), const std::optional<double>&>) {
      if (figure) status.Update(check(field.name, *figure, field.bounds));
    }
  });
  status.Update(check("wait", sample.wait));
  status.Update(check("hold", sample.hold));
  status.Update(check_counts(sample));
  if (sample.thread_operations_min > sample.thread_operations_max) {
    status.Update(wrong("thread_operations_min", "at most thread_operations_max"));
  }
  return status;
}

namespace {

bool is_finite(const LatencySummary& latency) {
  double sum = 0;
  figures(latency, [&sum](const char*, auto figure) { sum += static_cast<double>(figure); });
  return std::isfinite(sum);
}

// A figure that is not finite counts as not measured.
void drop_if_not_finite(std::optional<double>& figure) {
  if (figure && !std::isfinite(*figure)) figure.reset();
}
template <class T>
void drop_if_not_finite(T&) {}

}  // namespace

template <EitherConst<Sample> T, class Visit>
void json_fields(T& sample, Visit&& visit) {
  visit("outcome", sample.outcome, kOutcomeNames);
  fields(sample, [&visit](const Field& field, auto& figure) { visit(field.name, figure); });
  visit("wait", sample.wait);
  visit("hold", sample.hold);
}

std::string sample_text(Sample sample) {
  fields(sample, [](const Field&, auto& figure) { drop_if_not_finite(figure); });
  for (std::optional<LatencySummary>* const latency : {&sample.wait, &sample.hold}) {
    if (*latency && !is_finite(**latency)) latency->reset();
  }
  return internal::text_of(internal::json_of(sample));
}

absl::StatusOr<Sample> parse_sample(std::string_view text) {
  const absl::StatusOr<internal::json> object = internal::parse_json(text, "sample");
  if (!object.ok()) return object.status();
  absl::StatusOr<Sample> sample = internal::read_record<Sample>(*object, "sample");
  if (!sample.ok()) return sample;
  if (absl::Status status = check_sample(*sample); !status.ok()) return status;
  return sample;
}

}  // namespace lockbench
