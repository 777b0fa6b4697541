// SPDX-License-Identifier: Apache-2.0

#include "harness/base/complain.h"

#include <sstream>

#include <absl/status/status.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(Complain, NamesWhoSpeaksInOneLineAndReturnsTheCode) {
  std::ostringstream err;
  EXPECT_EQ(complain(err, "lockbench run", "a\nb", kCouldNotFinish), kCouldNotFinish);
  EXPECT_EQ(err.str(), "lockbench run: a\\nb\n");
}

TEST(Complain, AStatusIsBadInputUnlessTheCodeIsSaid) {
  std::ostringstream err;
  EXPECT_EQ(complain(err, "lockbench", absl::NotFoundError("there is no x")), kBadInput);
  EXPECT_EQ(err.str(), "lockbench: there is no x\n");
}

}  // namespace
}  // namespace lockbench
