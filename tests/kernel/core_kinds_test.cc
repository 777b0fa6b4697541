// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/core_kinds.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/kernel/topology.h"
#include "tests/kernel/described_topology.h"

namespace lockbench {
namespace {

using internal::distinct_kinds;
using internal::ReportedKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(DistinctKinds, ComeFastestFirst) {
  // hwloc reports the slowest first.
  const auto kinds =
      distinct_kinds({{"IntelAtom", {12, 13}, 0, 3900}, {"IntelCore", {0, 1}, 1, 5200}});
  ASSERT_THAT(kinds, SizeIs(2));
  EXPECT_EQ(kinds[0].type, "IntelCore");
  EXPECT_EQ(kinds[1].type, "IntelAtom");
}

TEST(DistinctKinds, CoresOfOneTypeThatAreClockedSomewhatDifferentlyAreOneKind) {
  // The favourite cores of a processor, and turbo bins.
  const auto kinds =
      distinct_kinds({{"IntelCore", {0, 1}, 0, 5000}, {"IntelCore", {2, 3}, 1, 5100}});
  ASSERT_THAT(kinds, SizeIs(1));
  EXPECT_THAT(kinds[0].processors, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(kinds[0].mhz, 5100U);
  EXPECT_THAT(distinct_kinds({{"", {0}, 0, 5050}, {"", {1}, 1, 5250}}), SizeIs(1));
}

TEST(DistinctKinds, CoresOfOneTypeWithAnotherSpeedAreTwoKinds) {
  // Both are IntelAtom: the slow cores of a processor, and those of low power.
  EXPECT_THAT(distinct_kinds({{"IntelAtom", {0}, 0, 2500}, {"IntelAtom", {1}, 1, 3800}}),
              SizeIs(2));
  EXPECT_THAT(distinct_kinds({{"", {0}, -1, 3300}, {"", {1}, -1, 5100}}), SizeIs(2));
  // ARM: the kernel's capacities alone.
  EXPECT_THAT(distinct_kinds({{"", {0}, 0, 0, 446}, {"", {1}, 1, 0, 1024}}), SizeIs(2));
  EXPECT_THAT(distinct_kinds({{"", {0}, 0, 0, 1000}, {"", {1}, 1, 0, 1024}}), SizeIs(1));
}

TEST(DistinctKinds, AnOrderAloneIsBelievedIfNothingElseIsKnown) {
  EXPECT_THAT(distinct_kinds({{"", {0}, 0}, {"", {1}, 1}}), SizeIs(2));
  EXPECT_THAT(distinct_kinds({{"", {0}, -1}, {"", {1}, -1}}), SizeIs(1));
}

TEST(DistinctKinds, AKindWithoutProcessorsIsNone) {
  EXPECT_THAT(distinct_kinds({{"IntelAtom", {}, 0, 3900}, {"IntelCore", {0, 1}, 1, 5200}}),
              SizeIs(1));
  EXPECT_THAT(distinct_kinds({}), IsEmpty());
}

TEST(NameOfCoreKind, EndsAreFastAndSlow) {
  EXPECT_EQ(name_of_core_kind(0, 2), "fast");
  EXPECT_EQ(name_of_core_kind(1, 2), "slow");
  EXPECT_EQ(name_of_core_kind(1, 3), "middle");
  EXPECT_EQ(name_of_core_kind(2, 4), "middle2");
  EXPECT_EQ(name_of_core_kind(3, 4), "slow");
}

TEST(CoreKindName, IsKnownByItself) {
  for (const std::size_t kinds : {1, 2, 3, 4, 9}) {
    for (std::size_t rank = 0; rank < kinds; ++rank) {
      EXPECT_TRUE(is_core_kind_name(name_of_core_kind(rank, kinds))) << rank << " of " << kinds;
    }
  }
  for (const char* other : {"", "all", "faster", "middling", "middle two", "kind:slow"}) {
    EXPECT_FALSE(is_core_kind_name(other)) << other;
  }
}

// A topology that hwloc makes of a description.
class Synthetic {
 public:
  explicit Synthetic(const char* description) {
    hwloc_topology_t raw = nullptr;
    hwloc_topology_init(&raw);
    topology_.reset(raw);
    hwloc_topology_set_synthetic(raw, description);
    hwloc_topology_load(raw);
  }

  void add_kind(int first, int last, int efficiency, const char* type) {
    const hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(set, static_cast<unsigned>(first), last);
    std::string name = "CoreType";
    std::string value = type;
    hwloc_info_s info{name.data(), value.data()};
    EXPECT_EQ(hwloc_cpukinds_register(topology_.get(), set, efficiency, 1, &info, 0), 0);
    hwloc_bitmap_free(set);
  }

  hwloc_topology_t get() const { return topology_.get(); }

 private:
  Topology topology_;
};

TEST(CoreKinds, OfATopologyWithoutThemAreNone) {
  EXPECT_THAT(core_kinds(Synthetic("pack:2 numa:2 core:8 pu:2").get()), IsEmpty());
  Synthetic one("core:4 pu:2");
  one.add_kind(0, 7, 0, "IntelCore");
  EXPECT_THAT(core_kinds(one.get()), IsEmpty());
}

TEST(CoreKinds, AreUnknownIfAProcessorHasNone) {
  Synthetic machine("core:3 pu:1");
  machine.add_kind(0, 0, 1, "IntelCore");
  machine.add_kind(1, 1, 0, "IntelAtom");
  EXPECT_THAT(core_kinds(machine.get()), IsEmpty());
}

TEST(CoreKinds, CountCoresAndThreads) {
  Synthetic machine("core:4 pu:2");
  machine.add_kind(0, 1, 2, "IntelCore");  // a kind of one core
  machine.add_kind(2, 5, 1, "IntelAtom");
  machine.add_kind(6, 7, 0, "IntelLowPower");
  const std::vector<CoreKind> kinds = core_kinds(machine.get());
  ASSERT_THAT(kinds, SizeIs(3));
  EXPECT_EQ(kinds[0].name, "fast");
  EXPECT_EQ(kinds[0].cores, 1U);
  EXPECT_THAT(kinds[0].processors, ElementsAre(0, 1));
  EXPECT_EQ(kinds[1].name, "middle");
  EXPECT_EQ(kinds[1].cores, 2U);
  EXPECT_EQ(kinds[2].name, "slow");
  EXPECT_EQ(kinds[2].type, "IntelLowPower");
}

TEST(CoreKinds, OfATopologyInWhichHwlocKnowsNoneAreNone) {
  EXPECT_THAT(core_kinds(DescribedTopology({{"", 4, 2}, {"", 4, 1}}).get()), IsEmpty());
}

TEST(CoreKinds, HaveNoProcessorThatIsOffline) {
  // The second fast core, one hardware thread of the third, and the first slow core.
  const DescribedTopology machine({{"IntelCore", 3, 2, 5200}, {"IntelAtom", 2, 1, 3900}},
                                  {2, 3, 5, 6});
  const std::vector<CoreKind> kinds = core_kinds(machine.get());
  ASSERT_THAT(kinds, SizeIs(2));
  EXPECT_THAT(kinds[0].processors, ElementsAre(0, 1, 4));
  EXPECT_EQ(kinds[0].cores, 2U);
  EXPECT_THAT(kinds[1].processors, ElementsAre(7));
  EXPECT_EQ(kinds[1].cores, 1U);
}

TEST(CoreKinds, AreNoneIfAllCoresButThoseOfOneKindAreOffline) {
  const DescribedTopology machine({{"IntelCore", 1, 2, 5200}, {"IntelAtom", 4, 1, 3900}}, {0, 1});
  EXPECT_THAT(core_kinds(machine.get()), IsEmpty());
}

}  // namespace
}  // namespace lockbench
