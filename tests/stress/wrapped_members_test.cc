// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/wrapped_members.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <gtest/gtest.h>

#include "harness/stress/lock_adapter.h"
#include "harness/stress/several_keys.h"
#include "harness/stress/shared_holds.h"
#include "harness/stress/stopped_waits.h"

namespace lockbench {
namespace {

// A lock with each optional member. It excludes nobody: only its members are looked at.
class WithEachMember {
 public:
  static constexpr Promises kPromises{};
  static constexpr bool kSmallKeys = true;
  static constexpr bool kKeepsIdleKeys = true;
  static constexpr bool kLastMayDestroy = true;

  class Handle {
   public:
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
    bool try_lock_for(std::chrono::nanoseconds) { return true; }
    bool lock(const platform::StopToken&) { return true; }
    void lock_shared() {}
    bool try_lock_shared() { return true; }
    void unlock_shared() {}
    bool try_lock_shared_for(std::chrono::nanoseconds) { return true; }
    bool lock_shared(const platform::StopToken&) { return true; }
    std::uint32_t lease() const { return 0; }
    std::uint64_t token() const { return 0; }
    bool is_locked() const { return false; }
    bool is_held_by_this_thread() const { return false; }
  };

  Handle handle(std::uint64_t) { return {}; }
  Handle handle_both(std::uint64_t, std::uint64_t) { return {}; }
  Handle handle_all(std::span<const std::uint64_t>) { return {}; }
  std::uint32_t capacity() const { return 1; }
  std::size_t lock_bytes() const { return 0; }
  std::size_t keys_kept() const { return 0; }
};

template <class W>
constexpr Members kDroppedBy = dropped_members<W, std::uint64_t>();

TEST(WrappedMembers, AreForwardedOrLeftOutOnPurposeByEachForm) {
  EXPECT_EQ(kDroppedBy<StoppedWaits<WithEachMember>>, 0U);
  EXPECT_EQ(kDroppedBy<SeveralKeys<WithEachMember>>, 0U);
  EXPECT_EQ(kDroppedBy<StoppedWaits<SeveralKeys<WithEachMember>>>, 0U);
  EXPECT_EQ(kDroppedBy<ReadersFirst<WithEachMember>>, 0U);
  EXPECT_EQ(kDroppedBy<ReadersApart<WithEachMember>>, 0U);
  EXPECT_EQ(kDroppedBy<ReadersApart<StoppedWaits<WithEachMember>>>, 0U);
  EXPECT_EQ(kDroppedBy<NumberedPermits<WithEachMember>>, 0U);
}

// As a wrapper that somebody adds, who has not heard of leases.
class Forgetful {
 public:
  using Wrapped = WithEachMember;
  static constexpr Members kLeftOut = ~members::kLease & ~members::kTwoKeys;
  static constexpr Promises kPromises{};

  class Handle {
   public:
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
  };

  Handle handle(std::uint64_t) { return {}; }
  std::uint32_t capacity() const { return 1; }
  std::size_t lock_bytes() const { return 0; }
};

TEST(WrappedMembers, ThatAreDroppedAreNamed) {
  EXPECT_EQ(kDroppedBy<Forgetful>, members::kLease | members::kTwoKeys);
  EXPECT_FALSE(kForwardsMembers<kDroppedBy<Forgetful>>);
  EXPECT_EQ(kDroppedBy<WithEachMember>, 0U);  // it wraps nothing
}

struct Aggregate {
  std::uint64_t one = 0;
  std::uint32_t other = 0;
};
struct OfTwo {
  OfTwo(std::uint64_t, std::uint32_t) {}
};

TEST(KMadeFrom, AsksForAConstructor) {
  EXPECT_TRUE((std::is_constructible_v<Aggregate, std::uint64_t, std::uint32_t>));
  EXPECT_FALSE((stress::kMadeFrom<Aggregate, std::uint64_t, std::uint32_t>));
  EXPECT_TRUE((stress::kMadeFrom<Aggregate>));
  EXPECT_TRUE((stress::kMadeFrom<OfTwo, std::uint64_t, std::uint32_t>));
  EXPECT_FALSE((stress::kMadeFrom<OfTwo>));
}

}  // namespace
}  // namespace lockbench
