// SPDX-License-Identifier: Apache-2.0

// DeadlineTimer: every deadline gets its alarm, in the order of the deadlines.
#include "primitives/internal/deadline_timer.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench::internal {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;

struct Rung {
  explicit Rung(std::ptrdiff_t expected) : left(expected) {}
  std::vector<std::size_t> order;  // on the timer's thread
  std::latch left;
};

struct Ring {
  Rung* rung;
  void operator()(std::size_t i) const {
    rung->order.push_back(i);
    rung->left.count_down();
  }
};

// The first alarm goes on until all deadlines are set, in an order of their own.
TEST(DeadlineTimer, AlarmsRingInTheOrderOfTheirDeadlines) {
  constexpr std::size_t kThings = 50;
  Rung rung(kThings);
  std::latch all_set(1);
  DeadlineTimer timer(kThings, [&](std::size_t i) {
    if (i == 0) all_set.wait();
    Ring{&rung}(i);
  });
  const platform::Time start = platform::now();
  timer.set(0, start);
  for (std::size_t i = 1; i < kThings; ++i) timer.set(i, start + hours(1));
  // 10 is prime to 49: each has a deadline of its own, brought forward from the one it had.
  for (std::size_t i = 1; i < kThings; ++i) timer.set(i, start + microseconds(i * 10 % 49));
  all_set.count_down();
  rung.left.wait();
  ASSERT_EQ(rung.order.size(), kThings);
  EXPECT_EQ(rung.order.front(), 0u);
  for (std::size_t i = 2; i < kThings; ++i) {
    EXPECT_LT(rung.order[i - 1] * 10 % 49, rung.order[i] * 10 % 49);
  }
}

TEST(DeadlineTimer, NoAlarmRingsBeforeItsDeadline) {
  std::atomic<bool> early{false};
  std::latch rung(1);
  const platform::Time deadline = platform::now() + microseconds(500);
  DeadlineTimer timer(1, [&](std::size_t) {
    early = platform::now() < deadline;
    rung.count_down();
  });
  timer.set(0, deadline);
  rung.wait();
  EXPECT_FALSE(early.load());
}

TEST(DeadlineTimer, ALaterDeadlineDoesNotPutOffTheEarlierOne) {
  Rung rung(1);
  DeadlineTimer timer(1, Ring{&rung});
  timer.set(0, platform::now() + microseconds(500));
  timer.set(0, platform::now() + hours(1));
  rung.left.wait();
}

TEST(DeadlineTimer, AnAlarmMaySetTheNextOne) {
  std::latch rung(3);
  struct Again {
    DeadlineTimer<Again>** timer;
    std::latch* rung;
    void operator()(std::size_t i) const {
      rung->count_down();
      if (i < 2) (*timer)->set(i + 1, platform::now());
    }
  };
  DeadlineTimer<Again>* self = nullptr;
  DeadlineTimer<Again> timer(3, Again{&self, &rung});
  self = &timer;
  timer.set(0, platform::now());
  rung.wait();
}

TEST(DeadlineTimer, EndsWithDeadlinesStillToCome) {
  Rung rung(1);
  {
    DeadlineTimer timer(1, Ring{&rung});
    timer.set(0, platform::now() + hours(1));
  }
  EXPECT_TRUE(rung.order.empty());
}

}  // namespace
}  // namespace lockbench::internal
