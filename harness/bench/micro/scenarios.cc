// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>

#include <absl/strings/str_cat.h>

#include "harness/bench/measure/probe.h"
#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/catalog_lines.h"
#include "harness/bench/micro/exclusion.h"
#include "harness/bench/plan/spelling.h"
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

template <class P>
BenchmarkResult make_and_measure(benchmark::State& state, Companion& companion, AnyMaker maker,
                                 const Arguments& arguments, const std::string& scenario) {
  const std::unique_ptr<P> primitive = made_by<P>(maker, arguments);
  return measure(state, companion, *primitive, scenario);
}

using Measure = BenchmarkResult (*)(benchmark::State&, Companion&, AnyMaker, const Arguments&,
                                    const std::string& scenario);

void add_line(Suite& suite, Companion& companion, const AnyLine& line, const std::string& scenario,
              Measure measure) {
  suite.add(absl::StrCat("scenario/", scenario, "/", to_text(line.spec)),
            micro_cell(line.spec, {.name = "scenario", .scenario = scenario}),
            [&companion, measure, scenario, maker = line.maker,
             arguments = line.usual_arguments(1)](benchmark::State& state) {
              return measure(state, companion, maker, arguments, scenario);
            });
}

}  // namespace

void add_scenarios(Suite& suite, Companion& companion) {
  for_each_line([&]<class P>(const AnyLine& line) {
    using Scenarios = Nested<P, std::uint64_t>;
    if constexpr (Scenarios::kAccepts) {
      for (const auto& scenario : Scenarios::kScenarios) {
        add_line(suite, companion, line, std::string(scenario), make_and_measure<P>);
      }
    }
  });
}

}  // namespace lockbench
