// SPDX-License-Identifier: Apache-2.0

// Counter and Accounts: what their proofs let pass, and what they convict.
#include <string>

#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "primitives/no_lock.h"
#include "tests/workloads/during_hold.h"
#include "tests/workloads/stand_ins.h"
#include "workloads/accounts.h"
#include "workloads/counter.h"

namespace lockbench {
namespace {

using Unlocked = Counter<NoLock, std::uint64_t>;

// The proof if the second actor operates within the first one's hold.
template <class Workload, class P>
Proof proof_of_overlap(P& primitive) {
  Stage<Workload, P> stage(primitive, {.threads = 2, .keys = 1, .hold = kHoldAsleep});
  during_next_hold([&] { stage.operate(1); });
  stage.operate(0);
  return stage.prove();
}

TEST(Counter, UnderALockNothingIsLost) {
  KeyedMutex<> primitive;
  Stage<Counter<KeyedMutex<>, std::uint64_t>, KeyedMutex<>> stage(primitive,
                                                                  {.threads = 3, .keys = 5});
  EXPECT_EQ(stage.operate_all(1000), 3000u);
  expect_holds(stage.prove());
  EXPECT_EQ(stage.given_up(), 0u);
}

TEST(Counter, StringKeysAreCountedLikeNumbers) {
  using Strings = KeyedMutex<std::string_view>;
  const WorkloadSettings settings{
      .threads = 3,
      .keys = 6,
      .key_distribution = {.kind = KeyDistribution::Kind::kAssigned, .counts = {6, 2, 5, 3, 2, 3}},
      .operations = 7};
  Strings primitive;
  Stage<Counter<Strings, std::string_view>, Strings> stage(primitive, settings);
  stage.operate_all(7);
  const Proof proof = stage.prove();
  expect_holds(proof);
  EXPECT_EQ(proof.counts, "6 2 5 3 2 3");
}

TEST(Counter, CountsAreListedUpToThirtyTwoKeys) {
  NoLock primitive;
  Stage<Unlocked, NoLock> few(primitive, {.keys = 32});
  EXPECT_NE(few.prove().counts, "");
  Stage<Unlocked, NoLock> many(primitive, {.keys = 33});
  EXPECT_EQ(many.prove().counts, "");
}

TEST(Counter, AnUpdateWithinAnothersHoldIsLostAndSeen) {
  NoLock primitive;
  const Proof proof = proof_of_overlap<Unlocked>(primitive);
  EXPECT_EQ(proof.lost_updates, 1u);
  EXPECT_EQ(proof.violations, 1u);
  EXPECT_EQ(proof.counts, "1");
}

TEST(Counter, EveryUpdateThatIsLostIsCounted) {
  NoLock primitive;
  Stage<Unlocked, NoLock> stage(primitive, {.threads = 2, .keys = 1, .hold = kHoldAsleep});
  for (const int updates : {3, 4}) {
    during_next_hold([&] {
      for (int i = 0; i < updates; ++i) stage.operate(1);
    });
    stage.operate(0);
  }
  const Proof proof = stage.prove();
  EXPECT_EQ(proof.lost_updates, 7u);
  EXPECT_EQ(proof.violations, 2u);
  EXPECT_EQ(proof.counts, "2");
}

TEST(Counter, AnUpdateOfAnotherKeyWithinAHoldIsNoFault) {
  NoLock primitive;
  Stage<Unlocked, NoLock> stage(primitive,
                                drawn_as({.keys = 2, .hold = kHoldAsleep}, 1, {{0}, {1}}));
  during_next_hold([&] { stage.operate(1); });
  stage.operate(0);
  expect_holds(stage.prove());
}

TEST(Counter, AcquisitionsThatAreGivenUpAreNoLostUpdates) {
  using Counted = Counter<Impatient<KeyedMutex<>>, std::uint64_t>;
  expect_given_up_are_not_lost<KeyedMutex<>, Counted>({.threads = 2, .keys = 4});
}

// A lock that takes the key away from whoever has it when the next one comes.
class Impolite {
 public:
  static constexpr Promises kPromises{};

  struct Fence {
    template <class Work>
    bool pass(std::uint64_t token, Work work) {
      if (token < greatest) return false;
      greatest = token;
      work();
      return true;
    }
    std::uint64_t greatest = 0;
  };

  struct Handle {
    Impolite& owner;
    std::uint64_t taken = 0;

    void lock() { taken = ++owner.tokens_; }
    bool try_lock() { return lock(), true; }
    void unlock() {}
    std::uint64_t token() const { return taken; }
    bool expired() const { return taken != owner.tokens_; }
  };

  Handle handle(std::uint64_t) { return {*this}; }
  static constexpr std::uint32_t capacity() { return 1; }
  static constexpr std::size_t lock_bytes() { return 0; }

 private:
  std::uint64_t tokens_ = 0;
};
static_assert(FencedLock<Impolite> && !FencedLock<KeyedMutex<>>);

TEST(Counter, ALateWriteIsRefusedToldAndNoLostUpdate) {
  Impolite primitive;
  Stage<Counter<Impolite, std::uint64_t>, Impolite> stage(
      primitive, {.threads = 2, .keys = 1, .hold = kHoldAsleep});
  during_next_hold([&] { EXPECT_TRUE(stage.operate(1)); });
  EXPECT_FALSE(stage.operate(0));
  EXPECT_TRUE(stage.operate(0));
  const Proof proof = stage.prove();
  expect_holds(proof);
  EXPECT_EQ(proof.counts, "2");
  EXPECT_EQ(proof.expired_holds, 1u);
  EXPECT_EQ(proof.refused_writes, 1u);
  EXPECT_EQ(stage.given_up(), 0u);
}

// A fence that lets everybody through is found out.
struct OpenGate : Impolite {
  struct Fence {
    template <class Work>
    bool pass(std::uint64_t, Work work) {
      return work(), true;
    }
  };
};

TEST(Counter, AFenceThatRefusesNobodyLosesTheUpdate) {
  OpenGate primitive;
  const Proof proof = proof_of_overlap<Counter<OpenGate, std::uint64_t>>(primitive);
  EXPECT_EQ(proof.lost_updates, 1u);
  EXPECT_EQ(proof.violations, 1u);
  EXPECT_EQ(proof.refused_writes, 0u);
}

TEST(Counter, WhereNoKeyIsTakenAwayNothingIsSaidOfIt) {
  KeyedMutex<> primitive;
  Stage<Counter<KeyedMutex<>, std::uint64_t>, KeyedMutex<>> stage(primitive, {.keys = 1});
  stage.operate_all(3);
  EXPECT_EQ(stage.prove().expired_holds, std::nullopt);
  EXPECT_EQ(stage.prove().refused_writes, std::nullopt);
}

TEST(Accounts, UnderALockNothingIsLost) {
  using Strings = KeyedMutex<std::string_view>;
  Strings primitive;
  Stage<Accounts<Strings, std::string_view>, Strings> stage(primitive, {.threads = 3, .keys = 50});
  EXPECT_EQ(stage.operate_all(1000), 3000u);
  expect_holds(stage.prove());
}

TEST(Accounts, AnUpdateWithinAnothersHoldIsLostAndSeen) {
  NoLock primitive;
  const Proof proof = proof_of_overlap<Accounts<NoLock, std::string_view>>(primitive);
  EXPECT_EQ(proof.lost_updates, 1u);
  EXPECT_EQ(proof.violations, 1u);
}

TEST(Accounts, GivenUpAcquisitionsAreNoLostUpdates) {
  using Kept = Accounts<Impatient<KeyedMutex<>>, std::uint64_t>;
  expect_given_up_are_not_lost<KeyedMutex<>, Kept>({.threads = 3, .keys = 4});
}

TEST(AccountRecord, IsSoundAfterAnyNumberOfUpdates) {
  AccountRecord record;
  for (std::uint64_t updates = 0; updates < 100; ++updates) {
    EXPECT_TRUE(AccountRecord::sound(record.look()));
    EXPECT_EQ(record.updates(), updates);
    record.update(record.look());
  }
}

TEST(AccountRecord, IsUnsoundWhenItsFieldsAreOfDifferentUpdates) {
  AccountRecord record;
  record.update(record.look());
  const AccountRecord::Seen old = record.look();
  record.update(record.look());
  record.update(record.look());
  const AccountRecord::Seen now = record.look();
  for (int mixture = 1; mixture < 7; ++mixture) {
    const AccountRecord::Seen torn{.visits = mixture & 1 ? old.visits : now.visits,
                                   .balance = mixture & 2 ? old.balance : now.balance,
                                   .checksum = mixture & 4 ? old.checksum : now.checksum};
    EXPECT_FALSE(AccountRecord::sound(torn)) << mixture;
  }
}

}  // namespace
}  // namespace lockbench
