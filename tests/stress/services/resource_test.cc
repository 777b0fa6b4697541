// SPDX-License-Identifier: Apache-2.0

// The resource that clients write to.
#include "harness/stress/services/resource.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockbench::stress::services
