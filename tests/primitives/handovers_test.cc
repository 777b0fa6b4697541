// SPDX-License-Identifier: Apache-2.0

// Handovers: to whom a lock is handed, and how often.
#include "primitives/internal/handovers.h"

#include <array>
#include <chrono>

#include <gtest/gtest.h>

namespace lockbench::internal {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr platform::Time kNow{hours(1)};

class HandoversOfALock : public ::testing::Test {
 protected:
  bool due(platform::Duration waited, platform::Time now = kNow) {
    waiter_.since = now - waited;
    return handovers_.due(&lock_, waiter_, now);
  }
  void asleep() { waiter_.signal.store(Waiter::kParked); }

  Handovers handovers_;
  int lock_ = 0;
  Waiter waiter_;
};

TEST_F(HandoversOfALock, AreDueToASleeperThatWasPassedOverForLong) {
  asleep();
  EXPECT_FALSE(due(WaitQueue::kPatience));
  EXPECT_TRUE(due(WaitQueue::kPatience + microseconds(1)));
}

TEST_F(HandoversOfALock, AreDueSoonerToOneThatIsAwake) {
  EXPECT_FALSE(due(WaitQueue::kPatienceAwake));
  EXPECT_TRUE(due(WaitQueue::kPatienceAwake + microseconds(1)));
}

TEST_F(HandoversOfALock, AreFollowedByARestAsLongAsTheyTook) {
  const platform::Duration took = microseconds(50);
  handovers_.taken(&lock_, kNow - took, kNow);
  asleep();
  const platform::Time over = kNow + Handovers::kRest * took;
  EXPECT_FALSE(due(hours(1), over - microseconds(1)));
  EXPECT_TRUE(due(hours(1), over));
}

TEST_F(HandoversOfALock, AreNotPutOffForEver) {
  handovers_.taken(&lock_, kNow - hours(1), kNow);
  EXPECT_FALSE(due(hours(1), kNow + Handovers::kLongestRest - microseconds(1)));
  EXPECT_TRUE(due(hours(1), kNow + Handovers::kLongestRest));
}

TEST_F(HandoversOfALock, DoNotPutOffThoseOfAllOthers) {
  handovers_.taken(&lock_, kNow - hours(1), kNow);
  waiter_.since = kNow - hours(1);
  int due = 0;
  for (const int& other : std::array<int, 1000>()) due += handovers_.due(&other, waiter_, kNow);
  EXPECT_GT(due, 500);
}

}  // namespace
}  // namespace lockbench::internal
