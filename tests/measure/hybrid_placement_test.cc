// SPDX-License-Identifier: Apache-2.0

// Where threads are bound on processors that people have: Core i7, Core Ultra, Apple's M1 and Ryzen
// AI, each described as hwloc reports it.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/measure/pinning.h"
#include "tests/kernel/described_topology.h"

namespace lockbench {
namespace {

using internal::processors_in;
using ::testing::Each;
using ::testing::IsEmpty;
using Numbers = std::vector<int>;

std::vector<Processor> processors_of(const DescribedTopology& machine) {
  return processors_in(machine.get(), machine.processors());
}

Numbers bound_to(std::string_view pinning, std::uint32_t threads,
                 const std::vector<Processor>& processors) {
  const absl::StatusOr<Numbers> placement = place_threads(pinning, threads, processors);
  EXPECT_TRUE(placement.ok()) << placement.status();
  return placement.value_or(Numbers{});
}

std::string kinds_under(std::string_view pinning, std::uint32_t threads,
                        const std::vector<Processor>& processors) {
  return threads_by_kind(bound_to(pinning, threads, processors), processors);
}

struct HybridMachine {
  const char* name;
  std::vector<DescribedKind> kinds;  // the fastest first
  Numbers scatter;                   // a thread for each core, and one more
  const char* four;                  // threads by kind under scatter
  const char* ten;
  Numbers mixed;  // mixed:2+2
};

std::vector<HybridMachine> hybrid_machines() {
  return {
      {"i7-1370P",
       {{"IntelCore", 6, 2, 5200}, {"IntelAtom", 8, 1, 3900}},
       {0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 1},
       "fast 4",
       "fast 6, slow 4",
       {0, 2, 12, 13}},
      {"i7-12700K",
       {{"IntelCore", 8, 2, 4900}, {"IntelAtom", 4, 1, 3800}},
       {0, 2, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19, 1},
       "fast 4",
       "fast 8, slow 2",
       {0, 2, 16, 17}},
      {"i7-13700K",
       {{"IntelCore", 8, 2, 5300}, {"IntelAtom", 8, 1, 4200}},
       {0, 2, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 1},
       "fast 4",
       "fast 8, slow 2",
       {0, 2, 16, 17}},
      {"ultra-7-155H",
       {{"IntelCore", 6, 2, 4800}, {"IntelAtom", 8, 1, 3800}, {"IntelAtom-LP", 2, 1, 2500}},
       {0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 1},
       "fast 4",
       "fast 6, middle 4",
       {0, 2, 12, 13}},
      {"m1",
       {{"firestorm", 4, 1, 3204}, {"icestorm", 4, 1, 2064}},
       {0, 1, 2, 3, 4, 5, 6, 7, 0},
       "fast 4",
       // Beyond the eighth thread, the fast cores have a second one.
       "fast 6, slow 4",
       {0, 1, 4, 5}},
      {"ryzen-ai-9-hx-370",
       {{"Zen5", 4, 2, 5100}, {"Zen5c", 8, 2, 3300}},
       {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 1},
       "fast 4",
       "fast 4, slow 6",
       {0, 2, 8, 10}},
  };
}

TEST(HybridPlacement, ScatterFillsFastCoresThenSlowerOnesThenSecondThreads) {
  for (const HybridMachine& hybrid : hybrid_machines()) {
    SCOPED_TRACE(hybrid.name);
    const DescribedTopology machine(hybrid.kinds);
    const std::vector<Processor> all = processors_of(machine);
    EXPECT_EQ(bound_to("scatter", static_cast<std::uint32_t>(hybrid.scatter.size()), all),
              hybrid.scatter);
    EXPECT_EQ(kinds_under("scatter", 4, all), hybrid.four);
    EXPECT_EQ(kinds_under("scatter", 10, all), hybrid.ten);
  }
}

TEST(HybridPlacement, CompactFillsCoreAfterCoreFastOnesFirst) {
  for (const HybridMachine& hybrid : hybrid_machines()) {
    SCOPED_TRACE(hybrid.name);
    const DescribedTopology machine(hybrid.kinds);
    Numbers in_order(machine.processors().size());
    std::iota(in_order.begin(), in_order.end(), 0);
    EXPECT_EQ(
        bound_to("compact", static_cast<std::uint32_t>(in_order.size()), processors_of(machine)),
        in_order);
  }
}

TEST(HybridPlacement, ThreadsOnOneKindOfCoresAreOnNoOther) {
  for (const HybridMachine& hybrid : hybrid_machines()) {
    SCOPED_TRACE(hybrid.name);
    const DescribedTopology machine(hybrid.kinds);
    const std::vector<Processor> all = processors_of(machine);
    const std::vector<std::string> kinds = kinds_among(all);
    ASSERT_EQ(kinds.size(), hybrid.kinds.size());
    for (std::size_t rank = 0; rank < kinds.size(); ++rank) {
      EXPECT_THAT(ranks_of(bound_to("kind:" + kinds[rank], 9, all), all),
                  Each(static_cast<int>(rank)));
    }
  }
}

TEST(HybridPlacement, MixedThreadsAreOnCoresOfTheirOwn) {
  for (const HybridMachine& hybrid : hybrid_machines()) {
    SCOPED_TRACE(hybrid.name);
    const DescribedTopology machine(hybrid.kinds);
    EXPECT_EQ(bound_to("mixed:2+2", 4, processors_of(machine)), hybrid.mixed);
  }
}

TEST(HybridPlacement, MixedThreadsMayBeOnThreeKinds) {
  const DescribedTopology ultra(hybrid_machines()[3].kinds);
  const std::vector<Processor> all = processors_of(ultra);
  EXPECT_EQ(bound_to("mixed:1+1+2", 4, all), (Numbers{0, 12, 20, 21}));
  EXPECT_EQ(bound_to("mixed:1+0+1", 2, all), (Numbers{0, 20}));
  EXPECT_EQ(kinds_under("mixed:1+1+2", 4, all), "fast 1, middle 1, slow 2");
}

TEST(HybridPlacement, NoThreadIsBoundToACoreThatIsOffline) {
  // The first fast core, one hardware thread of the second, and the first slow core.
  const DescribedTopology machine({{"IntelCore", 8, 2, 4900}, {"IntelAtom", 4, 1, 3800}},
                                  {0, 1, 2, 16});
  const std::vector<Processor> all = processors_of(machine);
  EXPECT_EQ(bound_to("scatter", 11, all), (Numbers{3, 4, 6, 8, 10, 12, 14, 17, 18, 19, 5}));
  EXPECT_EQ(bound_to("mixed:2+2", 4, all), (Numbers{3, 4, 17, 18}));
  EXPECT_EQ(fastest_of(all), 3);
}

TEST(HybridPlacement, ControlGroupThatAllowsSlowCoresAloneHasOneKind) {
  const DescribedTopology machine({{"IntelCore", 8, 2, 4900}, {"IntelAtom", 4, 1, 3800}});
  const std::vector<Processor> slow = processors_in(machine.get(), {16, 17, 18, 19});
  EXPECT_THAT(kinds_among(slow), IsEmpty());
  EXPECT_EQ(bound_to("scatter", 5, slow), (Numbers{16, 17, 18, 19, 16}));
  EXPECT_EQ(kinds_under("scatter", 4, slow), "");
  EXPECT_THAT(ranks_of({16, 17}, slow), IsEmpty());
  // Its name is that of the whole machine.
  EXPECT_EQ(bound_to("kind:slow", 2, slow), (Numbers{16, 17}));
  EXPECT_FALSE(place_threads("kind:fast", 2, slow).ok());
  EXPECT_FALSE(place_threads("mixed:1+1", 2, slow).ok());
}

TEST(HybridPlacement, KindOfOneCoreTakesAllThreadsThatAreBoundToIt) {
  // One core of two threads, and four without.
  const DescribedTopology machine({{"IntelCore", 1, 2, 3000}, {"IntelAtom", 4, 1, 2800}});
  const std::vector<Processor> all = processors_of(machine);
  EXPECT_EQ(bound_to("kind:fast", 3, all), (Numbers{0, 1, 0}));
  EXPECT_EQ(bound_to("mixed:2+2", 4, all), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(bound_to("scatter", 6, all), (Numbers{0, 2, 3, 4, 5, 1}));
  EXPECT_EQ(kinds_under("scatter", 6, all), "fast 2, slow 4");
}

TEST(HybridPlacement, WithoutKindsCoresAreTakenInTheirOrder) {
  // Turbo bins, and a hwloc that knows nothing of kinds.
  for (const std::vector<DescribedKind>& kinds :
       {std::vector<DescribedKind>{{"IntelCore", 2, 2, 5100}, {"IntelCore", 6, 2, 5000}},
        std::vector<DescribedKind>{{"", 2, 2}, {"", 6, 2}}}) {
    const DescribedTopology machine(kinds);
    const std::vector<Processor> all = processors_of(machine);
    EXPECT_THAT(kinds_among(all), IsEmpty());
    EXPECT_EQ(bound_to("scatter", 9, all), (Numbers{0, 2, 4, 6, 8, 10, 12, 14, 1}));
    EXPECT_EQ(kinds_under("scatter", 4, all), "");
    EXPECT_FALSE(place_threads("kind:fast", 1, all).ok());
  }
}

}  // namespace
}  // namespace lockbench
