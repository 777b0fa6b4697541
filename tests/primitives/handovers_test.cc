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
  void take_twice(platform::Duration took) {
    for (int i = 0; i < 2; ++i) handovers_.taken(&lock_, kNow - took, kNow);
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
  take_twice(took);
  asleep();
  const platform::Time over = kNow + Handovers::kRest * took;
  EXPECT_FALSE(due(hours(1), over - microseconds(1)));
  EXPECT_TRUE(due(hours(1), over));
}

TEST_F(HandoversOfALock, AreNotPutOffByASingleOneThatTookLong) {
  asleep();
  handovers_.taken(&lock_, kNow, kNow);
  handovers_.taken(&lock_, kNow - milliseconds(4), kNow);
  EXPECT_FALSE(due(hours(1)));
  EXPECT_TRUE(due(hours(1), kNow + Handovers::kShortestRest));
}

TEST_F(HandoversOfALock, AreDueToAWokenOneThatDoesNotRun) {
  handovers_.note_wake(&lock_, waiter_, kNow);
  waiter_.signal.store(Waiter::kWoken);
  EXPECT_FALSE(due(hours(1)));
  EXPECT_TRUE(due(hours(1), kNow + Handovers::kBetweenWakes));
}

TEST_F(HandoversOfALock, LeaveSleepersAloneForAWhileAfterAWakeUp) {
  asleep();
  handovers_.note_wake(&lock_, waiter_, kNow);
  EXPECT_FALSE(handovers_.wake_due(&lock_, kNow));
  EXPECT_TRUE(handovers_.wake_due(&lock_, kNow + Handovers::kBetweenWakes));
  handovers_.note_late(&lock_);
  EXPECT_TRUE(handovers_.wake_due(&lock_, kNow));
}

TEST_F(HandoversOfALock, AreNotPutOffForEver) {
  take_twice(hours(1));
  EXPECT_FALSE(due(hours(1), kNow + Handovers::kLongestRest - microseconds(1)));
  EXPECT_TRUE(due(hours(1), kNow + Handovers::kLongestRest));
}

TEST_F(HandoversOfALock, DoNotPutOffThoseOfAllOthers) {
  take_twice(hours(1));
  waiter_.since = kNow - hours(1);
  int due = 0;
  for (const int& other : std::array<int, 1000>()) due += handovers_.due(&other, waiter_, kNow);
  EXPECT_GT(due, 500);
}

}  // namespace
}  // namespace lockbench::internal
