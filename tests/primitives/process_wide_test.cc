// SPDX-License-Identifier: Apache-2.0

// process_wide: one instance, made once.
#include "primitives/process_wide.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "primitives/striped_lock.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

struct Accounts;
struct Orders;

TEST(ProcessWide, IsOneInstanceForEachPairOfTypes) {
  auto& accounts = process_wide<KeyedMutex<>, Accounts>();
  EXPECT_EQ(&accounts, (&process_wide<KeyedMutex<>, Accounts>()));
  EXPECT_NE(&accounts, (&process_wide<KeyedMutex<>, Orders>()));
  EXPECT_NE(&accounts, &process_wide<KeyedMutex<>>());
}

TEST(ProcessWide, IsMadeFromTheFirstOnesArguments) {
  EXPECT_EQ((process_wide<StripedLock<>, Accounts>(std::size_t{64}).stripes()), 64u);
  EXPECT_EQ((process_wide<StripedLock<>, Accounts>(std::size_t{8}).stripes()), 64u);
}

// Slow to make, so that the others come meanwhile; counts how often it is made.
struct Slow {
  Slow() {
    made.fetch_add(1);
    let_pass(std::chrono::milliseconds(2));
    whole = true;
  }
  static inline std::atomic<int> made{0};
  bool whole = false;
};

TEST(ProcessWide, IsMadeOnceThoughManyAskAtOnce) {
  std::array<Slow*, 8> seen{};
  run_threads(seen.size(), [&](std::size_t number) {
    Slow& slow = process_wide<Slow>();
    EXPECT_TRUE(slow.whole);
    seen[number] = &slow;
  });
  EXPECT_EQ(Slow::made.load(), 1);
  for (const Slow* slow : seen) EXPECT_EQ(slow, seen.front());
}

struct Reluctant {
  Reluctant() {
    if (++tries < 3) throw std::runtime_error("not yet");
  }
  static inline int tries = 0;
};

TEST(MadeOnce, IsTriedAgainByTheNextWhenMakingFails) {
  Reluctant::tries = 0;
  internal::MadeOnce<Reluctant> once;
  const auto make = [] { return std::make_unique<Reluctant>(); };
  EXPECT_THROW(once.get(make), std::runtime_error);
  EXPECT_THROW(once.get(make), std::runtime_error);
  const std::unique_ptr<Reluctant> made(&once.get(make));
  EXPECT_EQ(&once.get(make), made.get());
  EXPECT_EQ(Reluctant::tries, 3);
}

}  // namespace
}  // namespace lockbench
