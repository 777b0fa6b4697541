// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/usage.h"

#include <fstream>
#include <string>
#include <sys/resource.h>

namespace lockbench {

Usage Usage::now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {.user_s = seconds(usage.ru_utime),
          .system_s = seconds(usage.ru_stime),
          .voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
          .involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw),
          .page_faults = static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt)};
}

Usage Usage::operator+(const Usage& other) const {
  return {.user_s = user_s + other.user_s,
          .system_s = system_s + other.system_s,
          .voluntary_switches = voluntary_switches + other.voluntary_switches,
          .involuntary_switches = involuntary_switches + other.involuntary_switches,
          .page_faults = page_faults + other.page_faults};
}

Usage Usage::operator-(const Usage& other) const {
  return {.user_s = user_s - other.user_s,
          .system_s = system_s - other.system_s,
          .voluntary_switches = voluntary_switches - other.voluntary_switches,
          .involuntary_switches = involuntary_switches - other.involuntary_switches,
          .page_faults = page_faults - other.page_faults};
}

// getrusage's ru_maxrss is not used: it survives exec() and would report the parent's peak.
std::optional<std::uint64_t> peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  return std::nullopt;
}

}  // namespace lockbench
