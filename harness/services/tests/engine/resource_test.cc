// SPDX-License-Identifier: Apache-2.0

// The resource that clients write to.
#include "harness/services/engine/resource.h"

#include <array>
#include <optional>
#include <span>

#include <gtest/gtest.h>

#include "workloads/random.h"

namespace lockbench::stress::services {
namespace {

TEST(Resource, RefusesATokenThatIsLessThanOneThatItHasSeen) {
  Resource resource(1, 2, true);
  EXPECT_TRUE(resource.read(0, 0, 5).accepted);
  EXPECT_TRUE(resource.read(0, 1, 6).accepted);
  EXPECT_FALSE(resource.write(0, 0, 5, 1).accepted);
  EXPECT_FALSE(resource.read(0, 0, 5).accepted);
  EXPECT_TRUE(resource.write(0, 1, 6, 1).accepted);
  EXPECT_EQ(resource.number(0), 1U);
}

TEST(Resource, TellsWhatALateWriteReplacedAndWhoseItWas) {
  Resource resource(2, 3, false);
  EXPECT_EQ(resource.read(1, 0, 5).number, 0U);
  EXPECT_TRUE(resource.write(1, 2, 6, 1).accepted);
  const Resource::Write late = resource.write(1, 0, 5, 1);
  EXPECT_TRUE(late.accepted);
  EXPECT_EQ(late.found, 1U);
  EXPECT_EQ(late.last_writer, 2U);
  EXPECT_EQ(resource.number(0), 0U);
}

// A server that forgets its last token while its clock steps back gives smaller ones. Then later
// holders are refused, and no update is lost.
TEST(Resource, LosesNothingByTokensThatGoBackUnlessTwoAreTheSame) {
  constexpr std::uint32_t kHolders = 4;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    std::array<std::uint64_t, kHolders> tokens{1, 2, 3, 4};
    random.shuffle(std::span<std::uint64_t>(tokens));
    std::array<std::optional<Resource::Read>, kHolders> reads;
    Resource resource(1, kHolders, true);
    for (int step = 0; step < 12; ++step) {
      const auto holder = static_cast<std::uint32_t>(random.below(kHolders));
      if (!reads[holder] || !reads[holder]->accepted) {
        reads[holder] = resource.read(0, holder, tokens[holder]);
        continue;
      }
      const std::uint64_t seen = reads[holder]->number;
      const Resource::Write write = resource.write(0, holder, tokens[holder], seen + 1);
      if (write.accepted) {
        ASSERT_EQ(write.found, seen) << "seed " << seed;
      }
      reads[holder].reset();
    }
  }
  Resource resource(1, 2, true);
  const Resource::Read one = resource.read(0, 0, 5);
  EXPECT_TRUE(resource.read(0, 1, 5).accepted);
  EXPECT_TRUE(resource.write(0, 0, 5, one.number + 1).accepted);
  EXPECT_NE(resource.write(0, 1, 5, one.number + 1).found, one.number);
}

}  // namespace
}  // namespace lockbench::stress::services
