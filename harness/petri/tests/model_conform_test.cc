// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/command/model_conform.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

EngineListing engine(const std::string& name, const std::vector<std::string>& locks) {
  EngineListing listing{.engine = name, .program = "/bin/" + name, .locks = {}};
  for (const std::string& lock : locks) listing.locks.push_back({.name = lock});
  return listing;
}

const std::vector<EngineListing> kShipped{engine("sim", {"keyed", "global"}),
                                          engine("real", {"keyed", "global", "keyed_absl"}),
                                          engine("proc", {"file"})};
const std::vector<EngineListing> kBroken{engine("proc", {"link_no_recovery"})};

std::string said(const std::string& engine, const std::string& lock) {
  return std::string(unknown_lock({.engine = engine, .lock = lock}, kShipped, kBroken).message());
}

TEST(UnknownLock, NamesTheEnginesThatKnowIt) {
  EXPECT_EQ(said("sim", "file"), "the engine 'sim' does not know the lock 'file'; proc does");
  EXPECT_EQ(said("proc", "keyed"),
            "the engine 'proc' does not know the lock 'keyed'; sim and real do");
  EXPECT_EQ(said("sim", "link_no_recovery"),
            "the engine 'sim' does not know the lock 'link_no_recovery'; proc does");
}

TEST(UnknownLock, AsksWhetherANearOneWasMeant) {
  EXPECT_EQ(said("", "kyed"), "no engine knows the lock 'kyed'; did you mean 'keyed'?");
}

TEST(UnknownLock, NamesWhatIsKnownOnceEach) {
  EXPECT_EQ(said("", "nosuch"),
            "no engine knows the lock 'nosuch'; they know keyed, global, keyed_absl, file");
  EXPECT_EQ(said("sim", "nosuch"),
            "the engine 'sim' does not know the lock 'nosuch'; it knows keyed, global");
}

TEST(UnknownLock, SaysThatNoEngineIsThere) {
  const auto without = [](const std::string& engine) {
    return std::string(unknown_lock({.engine = engine, .lock = "keyed"}, {}, {}).message());
  };
  EXPECT_EQ(without(""), "no engine is installed beside this program; install all of lockbench");
  EXPECT_EQ(without("sim"),
            "no engine 'sim' is installed beside this program; install all of lockbench");
}

}  // namespace
}  // namespace lockbench
