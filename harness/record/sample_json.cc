// SPDX-License-Identifier: Apache-2.0

#include "harness/record/sample_json.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/plan/json_fields.h"
#include "harness/record/outcome.h"
#include "harness/record/sample_check.h"

namespace lockbench {
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
