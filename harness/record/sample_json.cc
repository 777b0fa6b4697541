// SPDX-License-Identifier: Apache-2.0

#include "harness/record/sample_json.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/record/field_reader.h"
#include "harness/record/outcome.h"
#include "harness/record/sample_check.h"

namespace lockbench {
namespace {

using nlohmann::json;

// The figures of a sample that are plain numbers, each with its name: one list for both ways.
template <class S, class Visit>
void for_each_figure(S& sample, Visit visit) {
  visit("operations", sample.operations);
  visit("window_s", sample.window_s);
  visit("makespan_s", sample.makespan_s);
  visit("ideal_s", sample.ideal_s);
  visit("thread_operations_min", sample.thread_operations_min);
  visit("thread_operations_max", sample.thread_operations_max);
  visit("fairness_jain", sample.fairness_jain);
  visit("overlap", sample.overlap);
  visit("cpu_user_s", sample.cpu_user_s);
  visit("cpu_system_s", sample.cpu_system_s);
  visit("voluntary_switches", sample.voluntary_switches);
  visit("involuntary_switches", sample.involuntary_switches);
  visit("peak_rss_bytes", sample.peak_rss_bytes);
  visit("lock_bytes", sample.lock_bytes);
  visit("timeouts", sample.timeouts);
  visit("lost_updates", sample.lost_updates);
  visit("violations", sample.violations);
  visit("expired_holds", sample.expired_holds);
  visit("refused_writes", sample.refused_writes);
  visit("unserved", sample.unserved);
  visit("idle_lateness_mean_ns", sample.idle_lateness_mean_ns);
  visit("pinning_held", sample.pinning_held);
  visit("steal_share", sample.steal_share);
  visit("other_cpu_share", sample.other_cpu_share);
  visit("false_conflicts", sample.false_conflicts);
  visit("key_bytes_live", sample.key_bytes_live);
  visit("key_bytes_idle", sample.key_bytes_idle);
}

bool measured(const std::optional<std::uint64_t>& figure) {
  return figure.has_value();
}
bool measured(const std::optional<bool>& figure) {
  return figure.has_value();
}
bool measured(const std::optional<double>& figure) {
  return figure && std::isfinite(*figure);
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
  return {{"samples", latency.samples}, {"mean_ns", latency.mean_ns},
          {"p50_ns", latency.p50_ns},   {"p90_ns", latency.p90_ns},
          {"p99_ns", latency.p99_ns},   {"p999_ns", latency.p999_ns},
          {"max_ns", latency.max_ns},   {"buckets", std::move(buckets)}};
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
  reader.require("samples", latency.samples);
  reader.require("mean_ns", latency.mean_ns);
  reader.require("p50_ns", latency.p50_ns);
  reader.require("p90_ns", latency.p90_ns);
  reader.require("p99_ns", latency.p99_ns);
  reader.require("p999_ns", latency.p999_ns);
  reader.require("max_ns", latency.max_ns);
  if (const json* buckets = reader.required("buckets")) {
    reader.merge(read_buckets(*buckets, reader.path("buckets"), latency));
  }
  sample.merge(reader.finish());
}

void read_outcome(internal::FieldReader& reader, Outcome& out) {
  std::string name;
  reader.require("outcome", name);
  if (const std::optional<Outcome> outcome = outcome_named(name)) {
    out = *outcome;
  } else {
    reader.fail(reader.path("outcome"),
                absl::StrFormat("no outcome is named \"%s\"; it is one of ok, deadlock, timeout, "
                                "crashed, failed",
                                name));
  }
}

}  // namespace

std::string sample_text(const Sample& sample) {
  json object = {{"outcome", std::string(outcome_name(sample.outcome))},
                 {"reason", sample.reason},
                 {"disturbance", sample.disturbance},
                 {"counts", sample.counts}};
  for_each_figure(sample, [&](const char* name, const auto& figure) {
    if (measured(figure)) object[name] = *figure;
  });
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
  reader.require("reason", sample.reason);
  reader.require("disturbance", sample.disturbance);
  reader.require("counts", sample.counts);
  for_each_figure(sample, [&](const char* name, auto& figure) { reader.allow(name, figure); });
  read_latency(reader, "wait", sample.wait);
  read_latency(reader, "hold", sample.hold);
  if (absl::Status status = reader.finish(); !status.ok()) return status;
  if (absl::Status status = check_sample(sample); !status.ok()) return status;
  return sample;
}

}  // namespace lockbench
