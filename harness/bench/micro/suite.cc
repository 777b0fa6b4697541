// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/suite.h"

#include <map>
#include <regex>
#include <utility>

#include "harness/bench/record/stamp.h"

namespace lockbench {
namespace {

void call(MicroBenchmark& benchmark, benchmark::State& state) {
  const std::string started_at = utc_now();
  BenchmarkResult finding = benchmark.body(state);
  if (const std::string objection = finding.objection(); !objection.empty()) {
    state.SkipWithError(objection.c_str());
  }
  benchmark.calls.push_back({started_at, std::move(finding)});
}

// `base (7, as base/std), limit (20, as limit/rmw)`
std::string families(const std::vector<std::unique_ptr<MicroBenchmark>>& all) {
  std::map<std::string, std::pair<std::size_t, std::string>> found;
  for (const auto& benchmark : all) {
    auto& [count, example] = found[benchmark->name.substr(0, benchmark->name.find('/'))];
    if (count++ == 0) example = benchmark->name;
  }
  std::string text;
  for (const auto& [family, seen] : found) {
    text += (text.empty() ? "" : ", ") + family + "/ (" + std::to_string(seen.first) + ", as " +
            seen.second + ")";
  }
  return text;
}

}  // namespace

std::string BenchmarkResult::objection() const {
  if (!failure.empty() || !proof) return failure;
  if (proof->lost_updates == 0 && proof->violations == 0) return {};
  return "it does not lock: " + std::to_string(proof->lost_updates) + " lost updates, " +
         std::to_string(proof->violations) + " violations";
}

void Suite::add(std::string name, Cell cell, MicroBenchmark::Body body) {
  all_.push_back(std::make_unique<MicroBenchmark>(
      MicroBenchmark{std::move(name), std::move(cell), std::move(body), {}}));
}

absl::StatusOr<std::vector<MicroBenchmark*>> Suite::matching(const std::string& filter) const {
  const bool others = filter.starts_with('-');
  const std::string pattern = filter.empty() || filter == "all" ? "." : filter.substr(others);
  const std::string flag = "--benchmark_filter=" + filter + ": ";
  std::vector<MicroBenchmark*> found;
  try {
    // The same kind of regular expression as in Google Benchmark.
    const std::regex expression(pattern, std::regex_constants::extended);
    for (const auto& benchmark : all_) {
      if (std::regex_search(benchmark->name, expression) != others)
        found.push_back(benchmark.get());
    }
  } catch (const std::regex_error&) {
    return absl::InvalidArgumentError(
        flag + "not an extended regular expression; write one, as 'uncontended/.*/u64$'");
  }
  if (found.empty()) {
    return absl::InvalidArgumentError(flag + "no benchmark has such a name; there are " +
                                      families(all_) + "; --benchmark_list_tests shows each");
  }
  return found;
}

void Suite::register_all() const {
  for (const auto& entry : all_) {
    benchmark::RegisterBenchmark(
        entry->name.c_str(),
        [benchmark = entry.get()](benchmark::State& state) { call(*benchmark, state); });
  }
}

Cell micro_cell(PrimitiveSpec primitive, WorkloadSpec workload) {
  return {.primitive = std::move(primitive),
          .workload = std::move(workload),
          .mode = Mode::kMicro,
          .sample_every = 0};
}

}  // namespace lockbench
