// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observed_preset.h"

#include <algorithm>
#include <cmath>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/base/printable.h"
#include "harness/base/quantity.h"
#include "harness/bench/plan/spelling.h"
#include "harness/observe/observation/observed_json.h"

namespace lockbench {
namespace {

// As a string of TOML.
std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// Two digits: samples do not say more.
Nanoseconds rounded(double ns) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(ns)) - 1));
  return Nanoseconds(
      static_cast<std::int64_t>(std::min(std::round(ns / unit) * unit, 24 * 3600e9)));
}

// The means of equal parts of the histogram, from the shortest to the longest times: so the mean is
// kept, and the shape but for what is rarer than one part.
Work work_of(const LatencySummary& times, bool sleeps) {
  constexpr std::size_t kParts = 32;
  if (times.samples == 0 || times.mean_ns < 0.5) return {};
  Work work{.kind = sleeps ? Work::Kind::kMixedSleep : Work::Kind::kMixedSpin, .mix = {}};
  const double part = static_cast<double>(times.samples) / kParts;
  double room = part;
  double sum_ns = 0;
  for (const LatencyBucket& bucket : times.buckets) {
    const double value_ns =
        (static_cast<double>(bucket.low_ns) + static_cast<double>(bucket.high_ns)) / 2;
    for (auto left = static_cast<double>(bucket.count); left > 0;) {
      const double taken = std::min(left, room);
      sum_ns += taken * value_ns;
      left -= taken;
      room -= taken;
      if (room > 1e-6 * part) continue;
      work.mix.push_back(rounded(sum_ns / part));
      room = part;
      sum_ns = 0;
    }
  }
  if (work.mix.empty()) return {};
  for (const Nanoseconds one : work.mix) work.duration += one;
  work.duration /= static_cast<std::int64_t>(work.mix.size());
  return work.duration.count() == 0 ? Work{} : work;
}

// Threads that compute in their think time keep that many processors busy.
bool thinks_asleep(const ObservedPlace& place, const ObservedProcess& process, double processor_s,
                   double processors) {
  if (process.wall_s <= 0) return false;
  const double busy = std::min<double>(place.threads, processors);
  return processor_s / process.wall_s < busy / 2;
}

constexpr char kOneLock[] = R"(["global:lock=std", "global", "global:lock=futex"])";
constexpr char kLockPerKey[] =
    R"(["keyed_table", "keyed", "striped", "striped:lock=std", "global:lock=std"])";
constexpr char kOneShared[] = R"(["global:lock=std_shared", "global:lock=std", "keyed_shared"])";
constexpr char kSharedPerKey[] =
    R"(["striped:lock=std_shared", "striped:lock=std", "keyed_shared", "keyed"])";

}  // namespace

std::string observed_preset(const ObservedPlace& place, const ObservedProcess& process,
                            double processor_s, double processors) {
  const std::uint64_t keys = std::max<std::uint64_t>(1, place.popularity.locks);
  const bool shared = place.shared_acquisitions != 0 && place.acquisitions != 0;
  const bool sleeps = thinks_asleep(place, process, processor_s, processors);
  std::string text = absl::StrCat(
      "# Written by lockbench observe: the load of one place in a program.\n"
      "title = ",
      toml_string(absl::StrCat("The load at ", place.name())), "\n");
  absl::StrAppend(&text, "description = ",
                  toml_string(absl::StrFormat(
                      "%s %s in %s: locks %d, threads %d, %d acquisitions in %.3g s, %.3g %% "
                      "contended. Hold and think are drawn from the observed times, one "
                      "independent of the other.",
                      kind_name(place.kind), place.name(), process.program, place.popularity.locks,
                      place.threads, place.acquisitions, process.wall_s,
                      100.0 * static_cast<double>(place.contended) /
                          static_cast<double>(std::max<std::uint64_t>(1, place.acquisitions)))),
                  "\n\n");
  absl::StrAppend(
      &text, "primitive = ",
      shared ? (keys > 1 ? kSharedPerKey : kOneShared) : (keys > 1 ? kLockPerKey : kOneLock), "\n");
  if (shared) {
    const double writes = 1 - static_cast<double>(place.shared_acquisitions) /
                                  static_cast<double>(place.acquisitions);
    absl::StrAppend(&text, "workload = \"read_mostly\"\nwrites = \"",
                    absl::StrFormat("%.3g", 100 * writes), "%\"\n");
  } else {
    absl::StrAppend(&text, "workload = \"counter\"\n");
  }
  absl::StrAppend(&text, "threads = ", std::max(1u, place.threads), "\nkeys = ", keys, "\n");
  if (keys > 1) {
    const double exponent = std::round(std::min(place.popularity.zipf, 10.0) * 100) / 100;
    absl::StrAppend(&text, "# standard error of the exponent: ",
                    absl::StrFormat("%.2g", place.popularity.zipf_error), "\nkey_distribution = \"",
                    exponent > 0 ? absl::StrCat("zipf:", to_text(exponent)) : "uniform", "\"\n");
  }
  absl::StrAppend(&text, "hold = \"", to_text(work_of(place.hold, false)), "\"\nthink = \"",
                  to_text(work_of(place.think, sleeps)), "\"\n");
  return text;
}

}  // namespace lockbench
