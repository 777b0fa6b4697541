// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/suite.h"

#include <algorithm>
#include <map>
#include <set>

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/micro/benchmarks.h"

namespace lockbench {
namespace {

using testing::Contains;
using testing::HasSubstr;

class MicroSuite : public testing::Test {
 protected:
  MicroSuite() { add_everything(suite_, companion_); }

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& benchmark : suite_.all()) found.insert(benchmark->name);
    return found;
  }

  std::size_t starting_with(const std::string& family) const {
    const std::set<std::string> all = names();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(),
                      [&family](const std::string& name) { return name.starts_with(family); }));
  }

  std::size_t matched(const std::string& filter) const { return suite_.matching(filter)->size(); }

  std::string refused(const std::string& filter) const {
    return std::string(suite_.matching(filter).status().message());
  }

  Companion companion_;
  Suite suite_;
};

// `striped:case=sensitive,lock=std`: with all choices, the usual ones too.
std::string in_full(const std::string& name, const std::map<std::string, std::string>& choices) {
  std::string text = name;
  for (const auto& [parameter, value] : choices) absl::StrAppend(&text, ":", parameter, "=", value);
  return text;
}

TEST_F(MicroSuite, EveryLineOfTheCatalogIsThereForEachOfItsKeyTypes) {
  std::set<std::string> measured;
  std::map<std::string, std::map<std::string, std::string>> usual;
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    for (const Choice& choice : entry.listing.choices) {
      usual[entry.listing.name].try_emplace(choice.parameter, choice.value);
    }
  }
  for (const auto& benchmark : suite_.all()) {
    const Cell& cell = benchmark->cell;
    if (cell.workload.name != "uncontended") continue;
    auto choices = usual[cell.primitive.name];
    for (const auto& [parameter, value] : cell.primitive.parameters) choices[parameter] = value;
    measured.insert(in_full(cell.primitive.name, choices) + "/" +
                    (cell.key_type == KeyType::kU64 ? "u64" : "string") + "/" +
                    std::to_string(cell.keys));
  }
  std::size_t expected = 0;
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    if (entry.promises.scope == Scope::kProcess) continue;  // here, threads of one process
    std::map<std::string, std::string> choices;
    for (const Choice& choice : entry.listing.choices) choices[choice.parameter] = choice.value;
    for (const KeyType key_type : entry.key_types) {
      for (const char* const keys : {"/1", "/10000"}) {
        EXPECT_THAT(measured, Contains(in_full(entry.listing.name, choices) +
                                       (key_type == KeyType::kU64 ? "/u64" : "/string") + keys));
        ++expected;
      }
    }
  }
  EXPECT_EQ(measured.size(), expected);
}

TEST_F(MicroSuite, NamesAreWhatUsersType) {
  EXPECT_EQ(names().size(), suite_.all().size());
  for (const char* const name :
       {"uncontended/keyed/u64", "uncontended/keyed/string/keys:10000",
        "uncontended/global:lock=std/u64", "uncontended/striped:case=insensitive/string",
        "base/futex", "base/pthread_spin", "scenario/context_manager/reentrant",
        "scenario/lock_unlock/recursive_mutex", "limit/rmw_and_store", "limit/futex_wake",
        "limit/cache_line_round_trip", "limit/clock"}) {
    EXPECT_THAT(names(), Contains(name));
  }
}

TEST_F(MicroSuite, TheFilterIsGoogleBenchmarks) {
  const std::size_t all = suite_.all().size();
  const std::size_t two = starting_with("base/") + starting_with("scenario/");
  EXPECT_GT(two, 17u);
  EXPECT_EQ(matched(""), all);
  EXPECT_EQ(matched("all"), all);
  EXPECT_EQ(matched("^base/std$"), 1u);
  EXPECT_EQ(matched("^(base|scenario)/"), two);
  EXPECT_EQ(matched("-^(base|scenario)/"), all - two);
}

TEST_F(MicroSuite, AFilterThatMatchesNothingIsToldWhatExists) {
  EXPECT_THAT(refused("kyed"), HasSubstr("--benchmark_filter=kyed: no benchmark has such a name"));
  EXPECT_THAT(refused("kyed"), HasSubstr("base/ (8, as base/adaptive)"));
  EXPECT_THAT(refused("-."), HasSubstr("no benchmark has such a name"));
  EXPECT_THAT(refused("("), HasSubstr("not an extended regular expression"));
}

}  // namespace
}  // namespace lockbench
