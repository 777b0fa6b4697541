// SPDX-License-Identifier: Apache-2.0

// When the condition variable of predictions calls the kernel.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "harness/predict/machine/simulation.h"
#include "harness/predict/tests/machine/model_of_four.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/mutex.h"

namespace lockbench::platform {
namespace {

using machine::kNs;
using machine::kUs;
using machine::Simulation;

class ConditionVariableTest : public testing::Test {
 protected:
  // Each body on a core of its own. Whether all of them end.
  static bool run(const std::vector<std::function<void()>>& bodies) {
    constexpr std::size_t kStack = 64 << 10;
    Simulation simulation(machine::model_of_four());
    std::vector<std::unique_ptr<std::byte[]>> stacks;
    for (const std::function<void()>& body : bodies) {
      stacks.emplace_back(new std::byte[kStack]);
      simulation.start(body, {stacks.back().get(), kStack});
    }
    simulation.allow_accesses(100'000);
    return simulation.run() == Simulation::End::kFinished;
  }

  void wait() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return ready_; });
  }

  // Under the mutex. Returns how long the notice takes.
  std::int64_t notice_ns() {
    const std::int64_t before = Simulation::current()->now_ns();
    changed_.notify_one();
    return Simulation::current()->now_ns() - before;
  }

  void become_ready(machine::Picoseconds after, int notices) {
    Simulation::current()->work(after);
    const std::unique_lock guard(mutex_);
    ready_ = true;
    for (int i = 0; i < notices; ++i) notices_ns_.push_back(notice_ns());
  }

  Mutex mutex_;
  ConditionVariable changed_;
  bool ready_ = false;
  std::vector<std::int64_t> notices_ns_;
};

TEST_F(ConditionVariableTest, ANoticeThatNobodyWaitsForCallsNothing) {
  EXPECT_TRUE(run({[this] { become_ready(10 * kUs, 2); }}));
  EXPECT_LT(notices_ns_[1], 100);  // less than a call
}

// The first notice was for the only thread that waits, which takes 2 us to wake up.
TEST_F(ConditionVariableTest, ASecondNoticeForOneWaitingThreadCallsNothing) {
  EXPECT_TRUE(run({[this] { wait(); }, [this] { become_ready(10 * kUs, 2); }}));
  EXPECT_GE(notices_ns_[0], 400);  // a call that wakes
  EXPECT_LT(notices_ns_[1], 100);
}

TEST_F(ConditionVariableTest, EachOfTwoNoticesWakesAThread) {
  EXPECT_TRUE(run({[this] { wait(); }, [this] { wait(); }, [this] { become_ready(10 * kUs, 2); }}));
  EXPECT_GE(notices_ns_[1], 400);
}

TEST_F(ConditionVariableTest, AThreadWhoseTimeIsUpTakesNoNoticeOfAnother) {
  const auto give_up = [this] {
    std::unique_lock guard(mutex_);
    changed_.wait_until(guard, now() + std::chrono::microseconds(3));
  };
  EXPECT_TRUE(run({give_up, [this] { wait(); }, [this] { become_ready(50 * kUs, 1); }}));
}

}  // namespace
}  // namespace lockbench::platform
