// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(RunServers, AreRefusedIfNoFolderOffersThem) {
  offer_servers(nullptr);
  EXPECT_EQ(start_servers({}, {}).value(), nullptr);
  EXPECT_THAT(std::string(start_servers({}, {"mine=localhost:1"}).status().message()),
              testing::StartsWith("--service: this lockbench was built without"));
}

TEST(RunServers, AreThoseThatAFolderOffers) {
  offer_servers([](const std::vector<Trial>&, const std::vector<std::string>&) {
    return absl::StatusOr<std::unique_ptr<RunServers>>(std::make_unique<RunServers>());
  });
  EXPECT_NE(start_servers({}, {"mine=localhost:1"}).value(), nullptr);
  offer_servers(nullptr);
}

}  // namespace
}  // namespace lockbench
