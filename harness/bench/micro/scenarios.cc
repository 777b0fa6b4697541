// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>

#include "harness/bench/measure/probe.h"
#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/catalog_lines.h"
#include "harness/bench/micro/exclusion.h"
#include "workloads/nested.h"

namespace lockbench {
namespace {

// Flat: in a file with so many loops, the compiler stops inlining after a while, earlier for one
// lock than for another. Code that is a few instructions in a user's program would then be measured
// with calls.
template <class P>
[[gnu::flatten]] BenchmarkResult measure(benchmark::State& state, Companion& companion,
                                         P& primitive, const std::string& scenario) {
  using LocksAlone = Nested<P, std::uint64_t, false>;
  LocksAlone work(primitive, {.scenario = scenario}, SpinPace{});
  typename LocksAlone::Actor actor = work.actor(0);
  UntimedProbe probe;
  for (auto _ : state) benchmark::DoNotOptimize(actor.operate(probe));
  ExclusionCheck check(
      companion, [&primitive](std::size_t) { return primitive.handle(std::uint64_t{0}); }, 1, 1);
  BenchmarkResult finding{.proof = check.prove(), .lock_bytes = primitive.lock_bytes()};
  if (actor.given_up() != 0) finding.failure = "it refused a free lock";
  return finding;
}

}  // namespace

void add_scenarios(Suite& suite, Companion& companion) {
  for_each_line([&]<class P>(const Line<P>& line, const PrimitiveSpec& spec) {
    using Scenarios = Nested<P, std::uint64_t>;
    if constexpr (Scenarios::kAccepts) {
      for (std::size_t i = 0; i < Scenarios::kScenarios.size(); ++i) {
        const std::string name(Scenarios::kScenarios[i]);
        suite.add("scenario/" + name + "/" + text_of(spec),
                  micro_cell(spec, {.name = "scenario", .scenario = name}),
                  [&companion, line, scenario = name](benchmark::State& state) {
                    const auto primitive = line.make(usual_arguments(line.listing, 1));
                    return measure(state, companion, *primitive, scenario);
                  });
      }
    }
  });
}

}  // namespace lockbench
