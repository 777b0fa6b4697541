// SPDX-License-Identifier: Apache-2.0

// KeyText, KeyScope, Namespaced: keys that are one exactly when their lists are.
#include "primitives/key_scope.h"

#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/key_text.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

using Locks = KeyedMutex<std::string_view>;

struct Orders;
struct Invoices;

template <class... Parts>
std::string text(const Parts&... parts) {
  return std::string(KeyText(parts...).view());
}

TEST(KeyText, DifferentListsAreDifferentTexts) {
  const std::vector<std::string> all = {text(),
                                        text(""),
                                        text("", ""),
                                        text("a"),
                                        text("a", "b"),
                                        text("b", "a"),
                                        text("ab"),
                                        text("ab", ""),
                                        text("", "ab"),
                                        text(1),
                                        text("1"),
                                        text(1, 2),
                                        text(12),
                                        text("n"),
                                        text(-1),
                                        text(std::numeric_limits<std::uint64_t>::max()),
                                        text(true),
                                        text(false),
                                        text(0),
                                        text(256),
                                        text("a", 1),
                                        text(1, "a"),
                                        text("A"),
                                        text(std::string(1, '\0')),
                                        text(std::string(200, 'x')),
                                        text(std::string(199, 'x')),
                                        text(std::string(200, 'x'), "")};
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

TEST(KeyText, EqualListsAreEqualTextsWhateverTheirTypes) {
  const std::string ann = "ann";
  EXPECT_EQ(text(ann, 7), text("ann", std::uint64_t{7}));
  EXPECT_EQ(text(std::string_view(ann)), text("ann"));
  EXPECT_EQ(text(std::int8_t{-1}), text(std::int64_t{-1}));
}

TEST(KeyText, CaseCountsUnlessAskedNotTo) {
  EXPECT_NE(text("Ann"), text("ann"));
  EXPECT_EQ(text(any_case("Ann@Example.ORG")), text("ann@example.org"));
  EXPECT_NE(text(any_case("[")), text("{"));
}

TEST(KeyText, LongOnesHoldAllOfTheirParts) {
  for (const std::size_t length : {0u, 100u, 103u, 104u, 500u}) {
    const std::string part(length, 'x');
    KeyText whole(part, "end");
    EXPECT_EQ(whole.view().size(), 9 + length + 9 + 3) << length;
    EXPECT_TRUE(whole.view().ends_with("end")) << length;
  }
}

TEST(KeyScope, TheSameKeyOfTwoScopesIsTwo) {
  Locks locks;
  const KeyScope jobs(locks, "job_");
  const KeyScope other_jobs(locks, "job_1_");
  auto held = jobs.handle("1_2");
  std::scoped_lock guard(held);
  EXPECT_FALSE(is_free(jobs, "1_2"));
  EXPECT_TRUE(is_free(other_jobs, "2"));
  EXPECT_TRUE(is_free(other_jobs, "1_2"));
}

TEST(KeyScope, ScopesOfOneNameAreOne) {
  Locks locks;
  const KeyScope here(locks, "jobs");
  const KeyScope there(locks, std::string("jobs"));
  auto held = here.handle(42);
  std::scoped_lock guard(held);
  EXPECT_FALSE(is_free(there, 42));
  EXPECT_TRUE(is_free(there, "42"));
}

TEST(KeyScope, AKeyOfAnInnerScopeIsNoKeyOfTheOuterOne) {
  Locks locks;
  const KeyScope outer(locks, "jobs");
  auto held = outer.scope("1").handle("2");
  std::scoped_lock guard(held);
  EXPECT_FALSE(is_free(outer.scope("1"), "2"));
  EXPECT_TRUE(is_free(outer, "1", "2"));
  EXPECT_TRUE(is_free(outer, "2"));
}

TEST(KeyScope, HoldsTheCharactersOfItsKey) {
  Locks locks;
  const KeyScope jobs(locks, "jobs");
  std::string name(300, 'x');
  auto held = jobs.handle(name);
  name.assign(300, 'y');
  std::scoped_lock guard(held);
  EXPECT_FALSE(is_free(jobs, std::string(300, 'x')));
  EXPECT_TRUE(is_free(jobs, name));
}

TEST(KeyScope, WhatThePrimitiveTellsCanBeAsked) {
  KeyedLimited<std::string_view> locks;
  const KeyScope jobs(locks, "jobs");
  auto handle = jobs.handle("a");
  ASSERT_TRUE(handle.try_lock_for(std::chrono::hours(1)));
  EXPECT_GT(handle.inner().token(), 0u);
  EXPECT_TRUE(handle.unlock());
}

TEST(Namespaced, TwoTypesKeysAreTwo) {
  Locks locks;
  const Namespaced<Orders, Locks> orders(locks);
  const Namespaced<Invoices, Locks> invoices(locks);
  const KeyScope named(locks, "Orders");
  auto held = orders.handle(42);
  std::scoped_lock guard(held);
  const Namespaced<Orders, Locks> same_orders(locks);
  EXPECT_FALSE(is_free(same_orders, 42));
  EXPECT_TRUE(is_free(invoices, 42));
  EXPECT_TRUE(is_free(named, 42));
}

}  // namespace
}  // namespace lockbench
