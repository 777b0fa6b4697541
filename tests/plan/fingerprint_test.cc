// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "harness/bench/plan/describe.h"

namespace lockbench {
namespace {

// Published with the algorithm.
TEST(Fingerprint, IsFnv1aOf64Bits) {
  EXPECT_EQ(fingerprint(""), "cbf29ce484222325");
  EXPECT_EQ(fingerprint("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(fingerprint("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace lockbench
