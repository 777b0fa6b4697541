// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/net/search.h"
#include "harness/petri/net/search_report.h"
#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

SearchResult searched(const ModelSpec& spec) {
  const Net net = model(spec);
  EXPECT_TRUE(validate(net).ok()) << validate(net);
  return search(net, find_invariants(net), {});
}

SearchVerdict verdict(const ModelSpec& spec) {
  return verdict_of(searched(spec));
}

TEST(Model, ShippedLocksAreCorrect) {
  for (const char* name :
       {"global", "keyed", "keyed_shared", "striped", "reentrant", "lease", "file", "timed_hold"}) {
    for (std::uint32_t threads = 1; threads <= 4; ++threads) {
      EXPECT_EQ(verdict({.primitive = name, .threads = threads}), SearchVerdict::kCorrect) << name;
    }
  }
  for (const char* name : {"keyed", "striped"}) {
    EXPECT_EQ(verdict({.primitive = name, .keys = 3, .nested = true}), SearchVerdict::kCorrect)
        << name;
  }
  EXPECT_EQ(verdict({.primitive = "striped", .stripes = 1, .nested = true}),
            SearchVerdict::kCorrect);
}

// The net without one of the steps that serve the queue of a shared key.
Net without_service(const std::string& step, const std::string& read) {
  Net net = model({.primitive = "keyed_shared", .threads = 3});
  const auto is_read = [&](const Arc& arc) { return net.places[arc.place].name == read; };
  for (NetTransition& transition : net.transitions) {
    if (transition.name.find(step) == std::string::npos) continue;
    EXPECT_EQ(std::erase_if(transition.pre, is_read), 1U) << transition.name;
    EXPECT_EQ(std::erase_if(transition.post, is_read), 1U) << transition.name;
  }
  return net;
}

TEST(Model, ASharedKeyDeadlocksIfAThreadLeavesWithoutServingTheQueue) {
  const Net forgets = without_service("sees_none_after_leaving", "a_not_waiting");
  EXPECT_TRUE(search(forgets, find_invariants(forgets), {}).to_dead);
}

TEST(Model, ASharedKeyDeadlocksIfAThreadSeesTooFewUnitsWhereAllAreFree) {
  const Net miscounts = without_service("sees_sleeping_writer_after_leaving", "a_taken");
  EXPECT_TRUE(search(miscounts, find_invariants(miscounts), {}).to_dead);
}

TEST(Model, AWriterThatComesWhileOneReaderIsInsideViolatesTheProperty) {
  Net net = model({.primitive = "keyed_shared", .threads = 2});
  for (NetTransition& transition : net.transitions) {
    if (transition.name.find("comes_as_writer") == std::string::npos) continue;
    for (std::vector<Arc>* arcs : {&transition.pre, &transition.post}) {
      for (Arc& arc : *arcs) {
        if (net.places[arc.place].name == "a_free" || net.places[arc.place].name == "a_taken")
          arc.weight = 1;
      }
    }
  }
  EXPECT_TRUE(search(net, find_invariants(net), {}).violated);
}

TEST(Model, NestedLeasesDeadlockExactlyWhenThreadsCanHoldThemAll) {
  for (std::uint32_t threads = 1; threads <= 5; ++threads) {
    for (std::uint32_t leases = 2; leases <= 5; ++leases) {
      const SearchResult result =
          searched({.primitive = "lease", .threads = threads, .leases = leases, .nested = true});
      EXPECT_EQ(result.to_dead.has_value(), threads >= leases) << threads << " " << leases;
    }
  }
}

TEST(Model, DeadlocksWhereTheDesignDoes) {
  const ModelSpec deadlocked[] = {
      {.primitive = "keyed", .nested = true, .order = KeyOrder::kOpposite},
      {.primitive = "striped", .nested = true, .order = KeyOrder::kOpposite},
      {.primitive = "striped",
       .threads = 1,  // a thread alone, which takes its stripe twice
       .stripes = 1,
       .nested = true,
       .order = KeyOrder::kTwice},
      {.primitive = "random_mutexes_as_published", .nested = true},
      {.primitive = "global", .nested = true},
      {.primitive = "file_as_published"}};
  for (const ModelSpec& spec : deadlocked) EXPECT_TRUE(searched(spec).to_dead) << spec.primitive;
  EXPECT_FALSE(searched({.primitive = "random_mutexes_as_published"}).to_dead);
  EXPECT_FALSE(searched({.primitive = "reentrant", .nested = true}).to_dead);
}

TEST(Model, WithoutExclusionThePropertyIsViolated) {
  EXPECT_TRUE(searched({.primitive = "none"}).violated);
  EXPECT_TRUE(searched({.primitive = "test_then_set"}).violated);
  EXPECT_FALSE(searched({.primitive = "none", .threads = 1}).violated);
}

TEST(Model, ProvesItsPropertyByAnInvariant) {
  const Net net = model({.primitive = "keyed"});
  const std::string summary =
      search_text(net, find_invariants(net), searched({.primitive = "keyed"}));
  EXPECT_THAT(summary, HasSubstr("at most one thread is inside a, because"));
  EXPECT_THAT(
      summary,
      HasSubstr("nothing is kept for a + a is granted to a waiter + holds a (thread 1, 2 or 3)"));
}

TEST(Model, RefusesOptionsThatDoNotApply) {
  const auto complaint = [](const ModelSpec& spec) {
    return std::string(build_model(spec).status().message());
  };
  EXPECT_THAT(complaint({.primitive = "kyed"}), HasSubstr("did you mean 'keyed'?"));
  EXPECT_THAT(complaint({.primitive = "keyed", .threads = 0}), HasSubstr("--threads: 0"));
  EXPECT_THAT(complaint({.primitive = "global", .keys = 2}), HasSubstr("leave out --keys"));
  EXPECT_THAT(complaint({.primitive = "file", .nested = true}), HasSubstr("leave out --nested"));
  EXPECT_THAT(complaint({.primitive = "keyed", .order = KeyOrder::kSame}), HasSubstr("--nested"));
}

}  // namespace
}  // namespace lockbench
