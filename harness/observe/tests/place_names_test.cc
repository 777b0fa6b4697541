// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/observation.h"
#include "harness/symbols/function_names.h"

namespace lockbench {
namespace {

using stress::readable_name;
using stress::without_parameters;

TEST(ReadableName, OfAFunctionInCIsTheNameItself) {
  for (const char* name : {"f", "i", "v", "Pc", "St", "work"}) {
    EXPECT_EQ(readable_name(name), name);
  }
  EXPECT_EQ(readable_name("_Z4workv"), "work()");
}

TEST(ReadableName, OfAFunctionInRustHasItsModules) {
  EXPECT_EQ(readable_name("_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14"
                          "lock_contended"),
            "std::sys::sync::mutex::futex::Mutex::lock_contended");
  EXPECT_EQ(readable_name("_ZN2rs5serve17h0123456789abcdefE"), "rs::serve");
  EXPECT_EQ(readable_name("_R"), "_R");
  EXPECT_EQ(readable_name("_RNvC99x"), "_RNvC99x");
}

TEST(WithoutParameters, OnlyTheLastParenthesesAreOfTheFunction) {
  EXPECT_EQ(without_parameters("work"), "work");
  EXPECT_EQ(without_parameters("work(int, char const*)"), "work");
  EXPECT_EQ(without_parameters("(anonymous namespace)::Cache::get()"),
            "(anonymous namespace)::Cache::get");
  EXPECT_EQ(without_parameters("Cache::get((anonymous namespace)::Key) const"), "Cache::get");
  EXPECT_EQ(without_parameters("Job::operator()(int) const"), "Job::operator()");
  EXPECT_EQ(without_parameters("main::{lambda()#1}::operator()() const"),
            "main::{lambda()#1}::operator()");
  EXPECT_EQ(without_parameters("Flag<(5)>(3)> pick<5>()"), "Flag<(5)>(3)> pick<5>");
  EXPECT_EQ(without_parameters("run(void (*)(int)) [clone .isra.0]"), "run");
}

Observation with_places(const std::vector<std::string>& functions) {
  ObservedProcess process;
  for (const std::string& function : functions) {
    ObservedPlace place;
    place.callers = {{.function = function, .file = "a.cc", .line = 7}};
    process.places.push_back(place);
  }
  Observation observation;
  observation.processes = {process};
  return observation;
}

TEST(KeepPlaces, KeepsThoseWhoseNameTheExpressionFinds) {
  Observation observation = with_places({"(anonymous namespace)::Cache::get()", "put()"});
  EXPECT_TRUE(keep_places(observation, *Expression::parse("Cache::get")));
  ASSERT_EQ(observation.processes.at(0).places.size(), 1U);
  EXPECT_EQ(observation.processes[0].places[0].name(), "(anonymous namespace)::Cache::get a.cc:7");
}

TEST(KeepPlaces, IfNoneMatchesTheProgramHasLocksNevertheless) {
  Observation observation = with_places({"get()", "put()"});
  EXPECT_FALSE(keep_places(observation, *Expression::parse("nothing")));
  EXPECT_EQ(observation.processes.at(0).places.size(), 2U);
}

}  // namespace
}  // namespace lockbench
