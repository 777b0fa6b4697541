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

TEST(ShortFunctionName, LeavesOutWhatIsLongerThanTheName) {
  const auto short_of = [](const char* name) { return stress::short_function_name(name); };
  EXPECT_EQ(short_of("work"), "work");
  EXPECT_EQ(short_of("Cache<std::string, 64>::get(int) const"), "Cache<…>::get");
  EXPECT_EQ(short_of("Flag<(5)>(3)> (anonymous namespace)::pick<5>()"), "pick<…>");
  EXPECT_EQ(short_of("std::map<A, std::vector<B<C> > >::find(A const&)"), "std::map<…>::find");
  EXPECT_EQ(short_of("S<int>::operator<(S<int> const&) const"), "S<…>::operator<");
  EXPECT_EQ(short_of("bool operator<< <int>(T<int>)"), "operator<< <…>");
  EXPECT_EQ(short_of("Job::operator()(int) const"), "Job::operator()");
  EXPECT_EQ(short_of("P<int>::operator->() const"), "P<…>::operator->");
  EXPECT_EQ(short_of("name[abi:cxx11](int)"), "name");
  EXPECT_EQ(short_of("main::{lambda(int)#1}::operator()(int) const"),
            "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(short_of("main::{lambda(int, char)#1}::operator()(int, char) const"),
            "main::{lambda(int, char)#1}::operator()");
  EXPECT_EQ(short_of("f(int, char)::Local::run()"), "f(int, char)::Local::run");
  EXPECT_EQ(short_of("core::ops::FnOnce::call_once<F>"), "core::ops::FnOnce::call_once<…>");
  EXPECT_EQ(short_of("<alloc::vec::Vec<T> as Drop>::drop"), "<…>::drop");
  EXPECT_EQ(short_of("libc.so.6+0x8f3a"), "libc.so.6+0x8f3a");
  EXPECT_EQ(short_of(""), "");
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
