// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/idle_waits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "harness/kernel/kernel_file.h"

namespace lockbench {

std::chrono::nanoseconds IdleWaits::sample(const RecordingFile& recording) {
  using std::chrono::milliseconds;
  using std::chrono::nanoseconds;
  // At equal distances, a program that does something a hundred times a second would be seen in one
  // part of that only.
  std::uniform_int_distribution<std::int64_t> distance(nanoseconds(milliseconds(5)).count(),
                                                       nanoseconds(milliseconds(15)).count());
  const nanoseconds next(distance(random_));
  const auto runnable = internal::runnable_threads(kernel_text("/proc/loadavg").value_or(""));
  if (!runnable) return next;
  // The thread that looks is one of them.
  const bool idle = *runnable - std::min<std::uint32_t>(1, *runnable) < processors_;
  for (const std::size_t slot : recording.slots()) {
    Counts& counts = counts_[slot];
    ++counts.all;
    if (idle && recording.brief(slot).blocked_waiters > 0) ++counts.idle_waits;
  }
  return next;
}

std::optional<double> IdleWaits::share_at_most(std::size_t slot) const {
  const auto found = counts_.find(slot);
  if (found == counts_.end()) return std::nullopt;
  return internal::share_at_most(found->second.idle_waits, found->second.all);
}

std::optional<std::uint32_t> internal::runnable_threads(std::string_view loadavg) {
  const std::size_t slash = loadavg.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::size_t begin = loadavg.rfind(' ', slash) + 1;
  std::uint32_t runnable = 0;
  const char* const end = loadavg.data() + slash;
  const auto [at, error] = std::from_chars(loadavg.data() + begin, end, runnable);
  if (error != std::errc() || at != end) return std::nullopt;
  return runnable;
}

double internal::share_at_most(std::uint64_t found, std::uint64_t all) {
  constexpr double kDeviations = 1.96;
  const double n = static_cast<double>(all);
  const double share = static_cast<double>(found) / n;
  const double square = kDeviations * kDeviations;
  const double spread = std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  return std::min(1.0, (share + square / (2 * n) + kDeviations * spread) / (1 + square / n));
}

}  // namespace lockbench
