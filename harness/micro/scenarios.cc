// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>

#include "harness/measure/probe.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/catalog_lines.h"
#include "workloads/nested.h"

namespace lockbench {
namespace {

// Flat: in a file of so many loops the compiler soon stops inlining, sooner for one lock than for
// another, and what is a few instructions in a user's program would be measured as calls.
template <class P>
[[gnu::flatten]] Finding measure(benchmark::State& state, P& primitive, Scenario scenario) {
  using Scenarios = Nested<P, std::uint64_t>;
  Scenarios work(primitive, {.scenario = scenario}, SpinPace{});  // nothing is held for a time
  typename Scenarios::Actor actor = work.actor(0);
  UntimedProbe probe;
  for (auto _ : state) benchmark::DoNotOptimize(actor.operate(probe));
  const typename Scenarios::Actor* const actors[] = {&actor};
  Finding finding{.proof = work.prove(actors), .lock_bytes = primitive.lock_bytes()};
  if (actor.given_up() != 0) finding.failure = "it refused a lock that nobody else had";
  return finding;
}

}  // namespace

void add_scenarios(Suite& suite) {
  for_each_line([&]<class P>(const Line<P>& line, const PrimitiveSpec& spec) {
    using Scenarios = Nested<P, std::uint64_t>;
    if constexpr (Scenarios::kAccepts) {
      for (std::size_t i = 0; i < Scenarios::kScenarios.size(); ++i) {
        const std::string name(Scenarios::kScenarios[i]);
        suite.add("scenario/" + name + "/" + text_of(spec),
                  micro_cell(spec, {.name = "scenario", .scenario = name}),
                  [line, scenario = static_cast<Scenario>(i)](benchmark::State& state) {
                    const auto primitive = line.make(usual_arguments(line.listing, 1));
                    return measure(state, *primitive, scenario);
                  });
      }
    }
  });
}

}  // namespace lockbench
