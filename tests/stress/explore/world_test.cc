// SPDX-License-Identifier: Apache-2.0

// What simulated threads can see of each other. The litmus tests are the field's own: store
// buffering, message passing, coherence; after J. Alglave, L. Maranget, M. Tautschnig, "Herding
// Cats", 2014.

#include "harness/stress/explore/world/world.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/explore/search/strategies.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

using platform::Atomic;
using platform::Thread;
using ::testing::Contains;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::uint32_t kUnbounded = 1000;

World& world(Model model = Model::kTso) {
  static World tso(Model::kTso);
  static World sequential(Model::kSequential);
  return model == Model::kTso ? tso : sequential;
}

struct TwoWords {
  Atomic<int> x{0};
  Atomic<int> y{0};
};

using Half = std::function<int(TwoWords&)>;

// Runs every execution of two threads and returns what both returned, in each.
std::set<std::pair<int, int>> all_outcomes(Model model, const Half& first, const Half& second) {
  std::set<std::pair<int, int>> seen;
  DepthFirst search(kUnbounded);
  for (; !search.exhausted(); search.next()) {
    std::pair<int, int> result;
    const auto execution = world(model).run(
        [&] {
          TwoWords words;
          Thread one([&] { result.first = first(words); });
          Thread two([&] { result.second = second(words); });
          one.join();
          two.join();
        },
        search);
    if (execution.end == End::kFinished) seen.insert(result);
  }
  EXPECT_FALSE(search.diverged());
  return seen;
}

int store_x_load_y(TwoWords& words) {
  words.x.store(1, kRelaxed);
  return words.y.load(kRelaxed);
}

int store_y_load_x(TwoWords& words) {
  words.y.store(1, kRelaxed);
  return words.x.load(kRelaxed);
}

TEST(StoreBuffering, IsSeenUnderTsoAlone) {
  EXPECT_THAT(
      all_outcomes(Model::kTso, store_x_load_y, store_y_load_x),
      UnorderedElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(1, 1)));
  EXPECT_THAT(all_outcomes(Model::kSequential, store_x_load_y, store_y_load_x),
              Not(Contains(std::pair(0, 0))));
}

TEST(StoreBuffering, IsPreventedBySequentiallyConsistentStores) {
  const Half first = [](TwoWords& words) {
    words.x.store(1);
    return words.y.load(kRelaxed);
  };
  const Half second = [](TwoWords& words) {
    words.y.store(1);
    return words.x.load(kRelaxed);
  };
  EXPECT_THAT(all_outcomes(Model::kTso, first, second), Not(Contains(std::pair(0, 0))));
}

TEST(StoreBuffering, IsPreventedByAReadModifyWriteBetween) {
  const Half first = [](TwoWords& words) {
    words.x.store(1, kRelaxed);
    Atomic<int> own{0};
    own.fetch_add(1, kRelaxed);
    return words.y.load(kRelaxed);
  };
  const Half second = [](TwoWords& words) {
    words.y.store(1, kRelaxed);
    Atomic<int> own{0};
    own.fetch_add(1, kRelaxed);
    return words.x.load(kRelaxed);
  };
  EXPECT_THAT(all_outcomes(Model::kTso, first, second), Not(Contains(std::pair(0, 0))));
}

// The heavy barrier of one makes up for the light one of the other; two light ones do not.
TEST(StoreBuffering, IsPreventedByOneHeavyBarrier) {
  const Half light = [](TwoWords& words) {
    words.x.store(1, kRelaxed);
    platform::light_barrier();
    return words.y.load(kRelaxed);
  };
  const Half heavy = [](TwoWords& words) {
    words.y.store(1, kRelaxed);
    platform::heavy_barrier();
    return words.x.load(kRelaxed);
  };
  EXPECT_THAT(all_outcomes(Model::kTso, light, heavy), Not(Contains(std::pair(0, 0))));
  const Half also_light = [](TwoWords& words) {
    words.y.store(1, kRelaxed);
    platform::light_barrier();
    return words.x.load(kRelaxed);
  };
  EXPECT_THAT(all_outcomes(Model::kTso, light, also_light), Contains(std::pair(0, 0)));
}

TEST(MessagePassing, StoresArriveInTheirOrder) {
  const Half writer = [](TwoWords& words) {
    words.x.store(1, kRelaxed);
    words.y.store(1, kRelaxed);
    return 0;
  };
  const Half reader = [](TwoWords& words) {
    const int flag = words.y.load(kRelaxed);
    return 10 * flag + words.x.load(kRelaxed);
  };
  EXPECT_THAT(all_outcomes(Model::kTso, writer, reader),
              UnorderedElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(0, 11)));
}

TEST(OwnStores, AreSeenAtOnce) {
  const Half both = [](TwoWords& words) {
    words.x.store(7, kRelaxed);
    return words.x.load(kRelaxed);
  };
  const Half none = [](TwoWords&) { return 0; };
  EXPECT_THAT(all_outcomes(Model::kTso, both, none), UnorderedElementsAre(std::pair(7, 0)));
}

// A store may leave its buffer while its thread has more to do, when another waits for it.
TEST(Pausing, EndsWhenAStoreArrivesOfAThreadThatHasYetToGoOn) {
  std::set<int> seen;
  DepthFirst search(1);
  for (; !search.exhausted(); search.next()) {
    int after = -1;
    const auto execution = world().run(
        [&] {
          TwoWords words;
          Thread one([&] {
            words.x.store(1, kRelaxed);
            after = words.y.load(kRelaxed);
          });
          Thread two([&] {
            while (words.x.load(kRelaxed) == 0) platform::pause();
            words.y.store(1, kRelaxed);
          });
          one.join();
          two.join();
        },
        search);
    if (execution.end == End::kFinished) seen.insert(after);
  }
  EXPECT_THAT(seen, UnorderedElementsAre(0, 1));
}

TEST(Interleavings, OfTwoIncrementsInTwoStepsLoseOne) {
  std::set<int> sums;
  DepthFirst search(kUnbounded);
  for (; !search.exhausted(); search.next()) {
    int sum = 0;
    const auto execution = world().run(
        [&] {
          Atomic<int> count{0};
          const auto increment = [&] { count.store(count.load(kRelaxed) + 1, kRelaxed); };
          Thread one(increment);
          Thread two(increment);
          one.join();
          two.join();
          sum = count.load(kRelaxed);
        },
        search);
    if (execution.end == End::kFinished) sums.insert(sum);
  }
  EXPECT_THAT(sums, UnorderedElementsAre(1, 2));
}

// Each thread writes the order in which it came: all 6 orders of 3 threads are seen.
TEST(Interleavings, OfThreeThreadsAreAllSeen) {
  std::set<std::vector<int>> orders;
  DepthFirst search(kUnbounded);
  for (; !search.exhausted(); search.next()) {
    std::vector<int> order(3);
    const auto execution = world().run(
        [&] {
          Atomic<int> next{0};
          std::vector<Thread> threads;
          for (int i = 0; i < 3; ++i) {
            threads.emplace_back(
                [&, i] { order[static_cast<std::size_t>(i)] = next.fetch_add(1); });
          }
          for (Thread& thread : threads) thread.join();
        },
        search);
    if (execution.end == End::kFinished) orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(World, KnowsThatNobodyCanEverRun) {
  ScheduleReplay first({});
  const auto execution = world().run(
      [] {
        platform::FutexWord word{0};
        platform::futex_wait(word, 0);
      },
      first);
  EXPECT_EQ(execution.end, End::kStuck);
}

TEST(World, KnowsThatASpinnerWaitsInVain) {
  ScheduleReplay first({});
  const auto execution = world().run(
      [] {
        Atomic<int> word{0};
        while (word.load(kRelaxed) == 0) platform::pause();
      },
      first);
  EXPECT_EQ(execution.end, End::kStuck);
}

TEST(World, LetsTimePassWhenAllSleep) {
  ScheduleReplay first({});
  platform::Duration slept{};
  bool in_time = true;
  const auto execution = world().run(
      [&] {
        const platform::Time began = platform::now();
        platform::sleep_until(began + std::chrono::hours(1));
        slept = platform::now() - began;
        platform::FutexWord word{0};
        in_time = platform::futex_wait(word, 0, platform::now() + std::chrono::hours(1));
      },
      first);
  EXPECT_EQ(execution.end, End::kFinished);
  EXPECT_EQ(slept, std::chrono::hours(1));
  EXPECT_FALSE(in_time);
}

// A timeout may come before the wake-up, or after it.
TEST(World, ExploresBothAWakeUpAndATimeout) {
  std::set<bool> in_time;
  DepthFirst search(2);
  for (; !search.exhausted(); search.next()) {
    bool woken = false;
    const auto execution = world().run(
        [&] {
          platform::FutexWord word{0};
          Thread waiter([&] {
            woken = platform::futex_wait(word, 0, platform::now() + std::chrono::seconds(1));
          });
          word.store(1, kRelaxed);
          platform::futex_wake(word, 1);
          waiter.join();
        },
        search);
    if (execution.end == End::kFinished) in_time.insert(woken);
  }
  EXPECT_THAT(in_time, UnorderedElementsAre(false, true));
}

TEST(World, FindsAWordUsedAfterItsLife) {
  ScheduleReplay first({});
  const auto execution = world().run(
      [] {
        alignas(Atomic<int>) std::byte place[sizeof(Atomic<int>)];
        auto* const word = new (place) Atomic<int>(0);
        word->~Atomic();
        word->store(1, kRelaxed);
      },
      first);
  EXPECT_EQ(execution.end, End::kFailed);
}

// A lock may store to a word of its own and free it: the store need not have left the buffer.
TEST(World, LetsAThreadEndTheLifeOfAWordWhoseStoreItStillBuffers) {
  ScheduleReplay first({});
  const auto execution = world().run(
      [] {
        Thread other([] {
          auto word = std::make_unique<Atomic<int>>(0);
          word->store(1, kRelaxed);
          word.reset();
          Atomic<int> next{0};
          next.fetch_add(1, kRelaxed);  // empties the buffer
        });
        other.join();
      },
      first);
  EXPECT_EQ(execution.end, End::kFinished);
}

TEST(World, FailsAStoreThatIsBufferedWhenAnotherThreadEndsTheLifeOfItsWord) {
  bool failed = false;
  DepthFirst search(2);
  for (; !search.exhausted() && !failed; search.next()) {
    const auto execution = world().run(
        [] {
          auto* const word = new Atomic<int>(0);
          Thread one([&] { word->store(1, kRelaxed); });
          Thread two([&] { delete word; });
          one.join();
          two.join();
        },
        search);
    failed = execution.end == End::kFailed;
  }
  EXPECT_TRUE(failed);
}

TEST(World, KeepsExceptionsOfThreadsApart) {
  RandomWalk walk(3);
  int caught = 0;
  const auto execution = world().run(
      [&] {
        Atomic<int> turn{0};
        const auto fail = [&] {
          try {
            throw std::runtime_error("work failed");
          } catch (const std::runtime_error&) {
            turn.fetch_add(1, kRelaxed);
            try {
              turn.fetch_add(1, kRelaxed);
              throw;
            } catch (const std::runtime_error&) {
              turn.fetch_add(1, kRelaxed);
              ++caught;
            }
          }
        };
        Thread one(fail);
        Thread two(fail);
        one.join();
        two.join();
      },
      walk);
  EXPECT_EQ(execution.end, End::kFinished);
  EXPECT_EQ(caught, 2);
}

// A condition variable loses no wake-up and a mutex excludes, in every execution of two threads.
TEST(SimulatedMutex, HandsAValueOverInEveryExecution) {
  std::uint64_t finished = 0;
  DepthFirst search(3);
  for (; !search.exhausted(); search.next()) {
    const auto execution = world().run(
        [] {
          platform::Mutex mutex;
          platform::ConditionVariable changed;
          bool ready = false;
          Thread consumer([&] {
            std::unique_lock guard(mutex);
            changed.wait(guard, [&] { return ready; });
          });
          {
            const std::scoped_lock guard(mutex);
            ready = true;
          }
          changed.notify_one();
          consumer.join();
        },
        search);
    ASSERT_NE(execution.end, End::kStuck);
    finished += execution.end == End::kFinished;
  }
  EXPECT_GT(finished, 1U);
}

TEST(World, GivesThreadsAndProcessesTheirOwn) {
  struct Count {
    int value = 0;
  };
  ScheduleReplay first({});
  int of_thread = -1;
  int of_process = -1;
  for (int again = 0; again < 2; ++again) {
    world().run(
        [&] {
          ++platform::of_this_thread<Count>().value;
          ++platform::of_this_process<Count>().value;
          Thread other([&] {
            of_thread = ++platform::of_this_thread<Count>().value;
            of_process = ++platform::of_this_process<Count>().value;
          });
          other.join();
        },
        first);
    EXPECT_EQ(of_thread, 1);
    EXPECT_EQ(of_process, 2) << "what an execution left behind must not reach the next";
  }
}

}  // namespace
}  // namespace lockbench::stress::explore
