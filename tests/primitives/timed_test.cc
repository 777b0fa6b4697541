// SPDX-License-Identifier: Apache-2.0

// Timeouts and deadlines at the limits of what their types can say.
#include "primitives/internal/timed.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

#include <gtest/gtest.h>

#include "primitives/futex_mutex.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

// Records what lock_before() is told; it never locks.
class Recorder : public internal::TimedMembers<Recorder> {
 public:
  bool lock_before(platform::Time deadline) {
    told = deadline;
    return false;
  }

  platform::Time told;
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// True if a held lock gives up at once, with all deadlines that have passed.
template <class Attempt>
bool gives_up(const Attempt& attempt) {
  FutexMutex mutex;
  mutex.lock();
  const bool taken = attempt(mutex);
  mutex.unlock();
  return !taken;
}

template <class Clock>
class DeadlinesOf : public testing::Test {};
using Clocks = testing::Types<std::chrono::steady_clock, std::chrono::system_clock,
                              std::chrono::high_resolution_clock>;
TYPED_TEST_SUITE(DeadlinesOf, Clocks);

TYPED_TEST(DeadlinesOf, TheFirstPointOfAClockHasPassed) {
  EXPECT_TRUE(gives_up(
      [](FutexMutex& mutex) { return mutex.try_lock_until(TypeParam::time_point::min()); }));
  EXPECT_TRUE(gives_up([](FutexMutex& mutex) {
    return mutex.try_lock_until(TypeParam::time_point::min() + std::chrono::seconds(1));
  }));
}

TYPED_TEST(DeadlinesOf, NotANumberHasPassed) {
  using Point = std::chrono::time_point<TypeParam, std::chrono::duration<double>>;
  EXPECT_TRUE(gives_up([](FutexMutex& mutex) {
    return mutex.try_lock_until(Point(std::chrono::duration<double>(kNaN)));
  }));
}

TEST(Timed, ATimeoutThatIsNotANumberIsNone) {
  Recorder recorder;
  EXPECT_FALSE(recorder.try_lock_for(std::chrono::duration<double>(kNaN)));
  EXPECT_EQ(recorder.told, platform::Time{});
  EXPECT_FALSE(recorder.try_lock_for(
      std::chrono::duration<float, std::milli>(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(recorder.told, platform::Time{});
}

TEST(Timed, ATimeoutOutOfRangeIsTheNearestInRange) {
  Recorder recorder;
  recorder.try_lock_for(std::chrono::duration<double>(kInfinity));
  EXPECT_EQ(recorder.told, platform::kForever);
  recorder.try_lock_for(std::chrono::duration<double>(-kInfinity));
  EXPECT_EQ(recorder.told, platform::Time{});
  recorder.try_lock_for(std::chrono::hours::max());
  EXPECT_EQ(recorder.told, platform::kForever);
  recorder.try_lock_for(std::chrono::hours::min());
  EXPECT_EQ(recorder.told, platform::Time{});
  recorder.try_lock_for(std::chrono::nanoseconds::min());
  EXPECT_EQ(recorder.told, platform::Time{});
}

TEST(Timed, ADeadlineOutOfRangeIsTheNearestInRange) {
  Recorder recorder;
  recorder.try_lock_until(platform::Time::min());
  EXPECT_EQ(recorder.told, platform::Time{});
  recorder.try_lock_until(platform::Time::max());
  EXPECT_EQ(recorder.told, platform::kForever);
}

}  // namespace
}  // namespace lockbench
