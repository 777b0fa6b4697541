// SPDX-License-Identifier: Apache-2.0

#include "harness/record/sample_json.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/plan/json_fields.h"
#include "harness/record/row.h"

namespace lockbench {

namespace {

constexpr double kLongestS = 1e9;  // 32 years
constexpr double kLongestNs = 1e22;
constexpr double kMostBytes = 1e18;  // more than any machine has
constexpr double kRounding = 1e-6;   // ratios of counted ticks and of sums
// Bytes: 32 numbers of 64 bits and the blanks.
constexpr std::size_t kMostCounts = 32 * std::size_t{21};

struct Bounds {
  double least = 0;
  double most = 0;
  bool more_than_least = false;
};

constexpr Bounds kDuration{.least = 0, .most = kLongestS, .more_than_least = true};
constexpr Bounds kShare{.least = 0, .most = 1};

absl::Status wrong(std::string_view name, std::string_view right) {
  return absl::InvalidArgumentError(absl::StrFormat("sample.%s: expected %s", name, right));
}

absl::Status check(std::string_view name, const std::optional<double>& figure,
                   const Bounds& bounds) {
  if (!figure) return absl::OkStatus();
  const double slack = bounds.most * kRounding;
  const bool low = bounds.more_than_least ? *figure <= bounds.least : *figure < bounds.least;
  if (std::isfinite(*figure) && !low && *figure <= bounds.most + slack) return absl::OkStatus();
  return wrong(name, absl::StrFormat("a number %s %g to %g, found %g",
                                     bounds.more_than_least ? "above" : "from", bounds.least,
                                     bounds.most, *figure));
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
  for (const double ns : {latency->mean_ns, latency->p50_ns, latency->p90_ns, latency->p99_ns,
                          latency->p999_ns, latency->max_ns}) {
    absl::Status status = check(name, ns, {.least = 0, .most = kLongestNs});
    if (!status.ok()) return status;
  }
  return check_buckets(name, *latency);
}

absl::Status check_counts(const Sample& sample) {
  const bool numbers = sample.counts.find_first_not_of("-0123456789 ") == std::string::npos;
  if (numbers && sample.counts.size() <= kMostCounts) return absl::OkStatus();
  return wrong("counts", "at most 32 whole numbers with blanks between them");
}

}  // namespace

absl::Status check_sample(const Sample& sample) {
  absl::Status status;
  const std::pair<const char*, std::pair<const std::optional<double>*, Bounds>> figures[] = {
      {"window_s", {&sample.window_s, kDuration}},
      {"makespan_s", {&sample.makespan_s, kDuration}},
      {"ideal_s", {&sample.ideal_s, {.least = 0, .most = kLongestS}}},
      {"cpu_user_s", {&sample.cpu_user_s, {.least = 0, .most = kLongestS}}},
      {"cpu_system_s", {&sample.cpu_system_s, {.least = 0, .most = kLongestS}}},
      {"fairness_jain", {&sample.fairness_jain, kShare}},
      {"overlap", {&sample.overlap, kShare}},
      {"steal_share", {&sample.steal_share, kShare}},
      {"other_cpu_share", {&sample.other_cpu_share, kShare}},
      {"throttled_s", {&sample.throttled_s, {.least = 0, .most = kLongestS}}},
      {"false_conflicts", {&sample.false_conflicts, kShare}},
      {"idle_lateness_mean_ns", {&sample.idle_lateness_mean_ns, {.least = 0, .most = kLongestNs}}},
      {"key_bytes_live", {&sample.key_bytes_live, {.least = 0, .most = kMostBytes}}},
      {"key_bytes_idle", {&sample.key_bytes_idle, {.least = 0, .most = kMostBytes}}},
  };
  for (const auto& [name, figure] : figures) {
    status.Update(check(name, *figure.first, figure.second));
  }
  status.Update(check("wait", sample.wait));
  status.Update(check("hold", sample.hold));
  status.Update(check_counts(sample));
  if (sample.thread_operations_min > sample.thread_operations_max) {
    status.Update(wrong("thread_operations_min", "at most thread_operations_max"));
  }
  return status;
}

namespace {

using nlohmann::json;

// A figure that is not finite counts as not measured.
void put(json& object, std::string_view name, const std::string& words) {
  object[std::string(name)] = words;
}
void put(json& object, std::string_view name, const std::optional<double>& figure) {
  if (figure && std::isfinite(*figure)) object[std::string(name)] = *figure;
}
template <class T>
void put(json& object, std::string_view name, const std::optional<T>& figure) {
  if (figure) object[std::string(name)] = *figure;
}

bool measured(const std::optional<LatencySummary>& l) {
  return l &&
         std::isfinite(l->mean_ns + l->p50_ns + l->p90_ns + l->p99_ns + l->p999_ns + l->max_ns);
}

json latency_json(const LatencySummary& latency) {
  json buckets = json::array();
  for (const LatencyBucket& b : latency.buckets) {
    buckets.push_back({b.low_ns, b.high_ns, b.count});
  }
  json object = {{"buckets", std::move(buckets)}};
  figures(latency, [&](const char* name, const auto& figure) { object[name] = figure; });
  return object;
}

absl::Status read_buckets(const json& buckets, const std::string& where, LatencySummary& latency) {
  const auto wrong = [&] {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: expected a list of [low_ns, high_ns, count]", where));
  };
  if (!buckets.is_array()) return wrong();
  for (const json& b : buckets) {
    LatencyBucket bucket;
    if (!b.is_array() || b.size() != 3 || internal::take(b[0], bucket.low_ns) != nullptr ||
        internal::take(b[1], bucket.high_ns) != nullptr ||
        internal::take(b[2], bucket.count) != nullptr) {
      return wrong();
    }
    latency.buckets.push_back(bucket);
  }
  return absl::OkStatus();
}

void read_latency(internal::FieldReader& sample, const char* name,
                  std::optional<LatencySummary>& out) {
  const json* object = sample.find(name);
  if (object == nullptr) return;
  LatencySummary& latency = out.emplace();
  internal::FieldReader reader(*object, sample.path(name));
  figures(latency, [&](const char* figure, auto& value) { reader(figure, value); });
  if (const json* buckets = reader.required("buckets")) {
    reader.merge(read_buckets(*buckets, reader.path("buckets"), latency));
  }
  sample.merge(reader.finish());
}

void read_outcome(internal::FieldReader& reader, Outcome& out) {
  std::string name;
  reader("outcome", name);
  if (const std::optional<Outcome> outcome = outcome_named(name)) {
    out = *outcome;
  } else {
    reader.fail(reader.path("outcome"),
                absl::StrFormat("no outcome is named \"%s\"; it is one of ok, deadlock, timeout, "
                                "crashed, failed, service_lost",
                                name));
  }
}

}  // namespace

std::string sample_text(const Sample& sample) {
  json object = {{"outcome", std::string(outcome_name(sample.outcome))}};
  fields(sample, [&](const Field& field, const auto& figure) { put(object, field.name, figure); });
  if (measured(sample.wait)) object["wait"] = latency_json(*sample.wait);
  if (measured(sample.hold)) object["hold"] = latency_json(*sample.hold);
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

absl::StatusOr<Sample> parse_sample(std::string_view text) {
  const absl::StatusOr<json> object = internal::parse_json(text, "sample");
  if (!object.ok()) return object.status();
  Sample sample;
  internal::FieldReader reader(*object, "sample");
  read_outcome(reader, sample.outcome);
  fields(sample, [&](const Field& field, auto& figure) { reader(field.name, figure); });
  read_latency(reader, "wait", sample.wait);
  read_latency(reader, "hold", sample.hold);
  if (absl::Status status = reader.finish(); !status.ok()) return status;
  if (absl::Status status = check_sample(sample); !status.ok()) return status;
  return sample;
}

}  // namespace lockbench
