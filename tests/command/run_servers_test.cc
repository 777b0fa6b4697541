// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

// This test lies in a folder without programs of commands.
TEST(RunServers, AreRefusedIfNoProgramStartsThem) {
  EXPECT_EQ(start_servers({}, {}).value(), nullptr);
  EXPECT_THAT(std::string(start_servers({}, {"mine=localhost:1"}).status().message()),
              testing::StartsWith("--service: no program here starts servers"));
}

}  // namespace
}  // namespace lockbench
