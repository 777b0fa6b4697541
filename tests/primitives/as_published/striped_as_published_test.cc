// SPDX-License-Identifier: Apache-2.0

// The published stripes: the sum, its absolute value, and what follows from them.
#include "primitives/as_published/striped_as_published.h"

#include <barrier>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();

// A key's hash is the number that it says.
struct SaidHash {
  std::int32_t operator()(std::string_view key) const { return std::stoi(std::string(key)); }
  std::int32_t operator()(std::uint64_t key) const { return static_cast<std::int32_t>(key); }
};

bool try_elsewhere(StripedAsPublished<>& striped, std::string_view key) {
  bool taken = false;
  std::jthread([&] {
    auto handle = striped.handle(key);
    taken = handle.try_lock();
    if (taken) handle.unlock();
  }).join();
  return taken;
}

TEST(StripedAsPublished, TheIndexIsTheAbsoluteValueModuloTheLocks) {
  const StripedAsPublished<SaidHash> striped(20);
  EXPECT_EQ(striped.stripe_of("47"), 7u);
  EXPECT_EQ(striped.stripe_of("-47"), 7u);
  EXPECT_EQ(striped.stripe_of({"40", "7"}), 7u);
  EXPECT_EQ(striped.stripe_of("-2147483647"), 7u);
}

TEST(StripedAsPublished, HasTwentyLocksUnlessToldOtherwise) {
  EXPECT_EQ(StripedAsPublished<>().stripes(), 20u);
}

TEST(StripedAsPublished, CaseMakesNoDifference) {
  const StripedAsPublished<> striped(4096);
  EXPECT_EQ(striped.stripe_of("Ann@Example.ORG"), striped.stripe_of("ann@example.org"));
  EXPECT_NE(striped.stripe_of("ann@example.org"), striped.stripe_of("bob@example.org"));
}

// F1
TEST(StripedAsPublished, AKeyWhoseHashIsTheLeastIntegerCannotBeLocked) {
  StripedAsPublished<SaidHash> striped(20);
  EXPECT_THROW(striped.handle(std::to_string(kLeast)), std::overflow_error);
  EXPECT_THROW(striped.handle({"-2147483647", "-1"}), std::overflow_error);
  EXPECT_THROW(striped.handle({"2147483647", "1"}), std::overflow_error);
  StripedAsPublished<> real(20);
  EXPECT_THROW(real.handle(std::uint64_t{1} << 31), std::overflow_error);
  EXPECT_THROW(real.handle("user1165018787@example.com"), std::overflow_error);
}

// F2
TEST(StripedAsPublished, TheOrderOfKeysMakesNoDifference) {
  const StripedAsPublished<> striped(4096);
  EXPECT_EQ(striped.stripe_of({"tenant", "user"}), striped.stripe_of({"user", "tenant"}));
  EXPECT_NE(striped.stripe_of({"tenant", "user"}), striped.stripe_of("tenant"));
}

TEST(StripedAsPublished, AThreadMayEnterTheStripeThatItIsIn) {
  StripedAsPublished<> striped(1);
  auto ann = striped.handle("ann");
  auto bob = striped.handle("bob");
  std::scoped_lock outer(ann);
  { std::scoped_lock inner(bob); }
  EXPECT_FALSE(try_elsewhere(striped, "carol"));
}

// F3: one has the first user and would wait for the second, the other the second and would wait
// for the first.
TEST(StripedAsPublished, TwoUsersInOppositeOrdersWouldWaitForEachOther) {
  StripedAsPublished<SaidHash> striped(20);
  std::barrier step(2);
  const auto take = [&](std::string_view first, std::string_view second) {
    auto held = striped.handle(first);
    std::scoped_lock guard(held);
    step.arrive_and_wait();
    EXPECT_FALSE(striped.handle(second).try_lock());
    step.arrive_and_wait();
  };
  std::jthread other([&] { take("2", "1"); });
  take("1", "2");
}

}  // namespace
}  // namespace lockbench
