// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/processor_use.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

namespace lockbench {

std::optional<ProcessorUse> ProcessorUse::now(const std::vector<int>& processors) {
  std::ifstream stat("/proc/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), std::istreambuf_iterator<char>()};
  const ProcessorUse use = internal::use_since_boot(text, processors);
  if (use.all == 0) return std::nullopt;
  return use;
}

ProcessorUse use_between(const ProcessorUse& before, const ProcessorUse& after) {
  const auto grown = [](std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; };
  return {.all = grown(before.all, after.all),
          .busy = grown(before.busy, after.busy),
          .stolen = grown(before.stolen, after.stolen)};
}

std::optional<ProcessorUse> watch_processors(const std::vector<int>& processors,
                                             std::chrono::milliseconds time) {
  const std::optional<ProcessorUse> before = ProcessorUse::now(processors);
  std::this_thread::sleep_for(time);
  const std::optional<ProcessorUse> after = ProcessorUse::now(processors);
  if (!before || !after) return std::nullopt;
  const ProcessorUse use = use_between(*before, *after);
  if (use.all == 0) return std::nullopt;
  return use;
}

namespace internal {

ProcessorUse use_since_boot(std::string_view proc_stat, const std::vector<int>& processors) {
  enum Field { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal, kFields };
  ProcessorUse use;
  std::istringstream lines{std::string(proc_stat)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu")) continue;
    std::istringstream words(line.substr(3));
    int number = -1;
    if (line.starts_with("cpu ") || !(words >> number)) continue;  // `cpu ` is the sum of all
    if (std::find(processors.begin(), processors.end(), number) == processors.end()) continue;
    std::array<std::uint64_t, kFields> ticks{};  // time of guests is included in kUser and kNice
    for (std::uint64_t& of_field : ticks) words >> of_field;
    for (const std::uint64_t of_field : ticks) use.all += of_field;
    for (const Field f : {kUser, kNice, kSystem, kIrq, kSoftIrq}) use.busy += ticks[f];
    use.stolen += ticks[kSteal];
  }
  return use;
}

}  // namespace internal

}  // namespace lockbench
