// SPDX-License-Identifier: Apache-2.0

#include "harness/base/nearest.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/base/message_of.h"

namespace lockbench {
namespace {

const std::vector<std::string> kNames = {"none",      "global", "keyed",          "striped",
                                         "reentrant", "lease",  "recursive_mutex"};

TEST(EditDistance, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("keyed", "kyeed"), 1u);
}

TEST(Nearest, FindsTheNameBehindAMisspelling) {
  EXPECT_EQ(nearest("stripped", kNames), "striped");
  EXPECT_EQ(nearest("kyed", kNames), "keyed");
  EXPECT_EQ(nearest("Global", kNames), "global");
  EXPECT_EQ(nearest("renetrant", kNames), "reentrant");
}

TEST(Nearest, FindsTheNameBehindAnAbbreviation) {
  EXPECT_EQ(nearest("recursive", kNames), "recursive_mutex");
  EXPECT_EQ(nearest("re", kNames), std::nullopt);
}

TEST(Nearest, FindsTheNameOfWhichAPartIsTyped) {
  const std::vector<std::string> flags{"--keys", "--key-distribution", "--redistribution-key"};
  EXPECT_EQ(nearest("--distribution", flags), "--key-distribution");
  EXPECT_EQ(nearest("--istribution", flags), std::nullopt);
}

TEST(Nearest, AnAbbreviationOfTwoNamesIsNone) {
  EXPECT_EQ(nearest("keyed_", std::vector<std::string>{"keyed_table", "keyed_leaky"}),
            std::nullopt);
}

TEST(Nearest, NothingIsNearWhatIsFar) {
  EXPECT_EQ(nearest("spinlock", kNames), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
  EXPECT_EQ(nearest("x", std::vector<std::string>{"a"}), std::nullopt);
}

TEST(UnknownName, SuggestsOrLists) {
  EXPECT_EQ(message_of(unknown_name("primitive", "stripped", kNames)),
            "unknown primitive 'stripped'; did you mean 'striped'?");
  EXPECT_EQ(message_of(unknown_name("mode", "quickly", std::vector<std::string>{"timed", "fixed"})),
            "unknown mode 'quickly'; there are: timed, fixed");
}

TEST(UnknownName, OfManyNamesListsTheNearest) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= kMostNamesListed; ++i) {
    names.push_back("very_long_name_" + std::to_string(100 + i));
  }
  names.insert(names.end(), {"abcdef", "abcxyz"});
  const std::string said = message_of(unknown_name("lock", "abc123456", names, "`list` shows all"));
  EXPECT_EQ(said.find("unknown lock 'abc123456'; the nearest of 51: abcdef, abcxyz, very_long_"),
            0U)
      << said;
  EXPECT_TRUE(said.ends_with("; `list` shows all")) << said;
  EXPECT_LT(said.size(), 200U);
}

}  // namespace
}  // namespace lockbench
