// SPDX-License-Identifier: Apache-2.0

// The simulator beside its memory, which tso_test.cc and c11_test.cc have: time, futexes, the life
// of words, and what is one thread's own.

#include "harness/stress/explore/world/world.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/explore/search/strategies.h"
#include "primitives/platform/atomic.h"
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

World& world() {
  static World world(MemoryModel::kTso);
  return world;
}

// How the execution ends in which each thread runs as long as it can.
End end_of(const std::function<void()>& program) {
  ScheduleReplay first({});
  return world().run(program, first).end;
}

// Calls `finished` after each execution that came to its end; returns the ends of all.
std::set<End> explore(
    std::uint32_t preemptions, const std::function<void()>& program,
    const std::function<void()>& finished = [] {}) {
  std::set<End> ends;
  for (DepthFirst search(preemptions); !search.exhausted(); search.next()) {
    const End end = world().run(program, search).end;
    if (end == End::kFinished) finished();
    ends.insert(end);
  }
  return ends;
}

// A store may leave its buffer while its thread has more to do, when another waits for it.
TEST(Pausing, EndsWhenAStoreArrivesOfAThreadThatHasYetToGoOn) {
  std::set<int> seen;
  int after = -1;
  explore(
      1,
      [&] {
        Atomic<int> x{0};
        Atomic<int> y{0};
        Thread one([&] {
          x.store(1, kRelaxed);
          after = y.load(kRelaxed);
        });
        Thread two([&] {
          while (x.load(kRelaxed) == 0) platform::pause();
          y.store(1, kRelaxed);
        });
        one.join();
        two.join();
      },
      [&] { seen.insert(after); });
  EXPECT_THAT(seen, UnorderedElementsAre(0, 1));
}

TEST(World, KnowsThatNobodyCanEverRunAndThatASpinnerWaitsInVain) {
  EXPECT_EQ(end_of([] {
              platform::FutexWord word{0};
              platform::futex_wait(word, 0);
            }),
            End::kStuck);
  EXPECT_EQ(end_of([] {
              Atomic<int> word{0};
              while (word.load(kRelaxed) == 0) platform::pause();
            }),
            End::kStuck);
}

TEST(World, LetsTimePassWhenAllSleep) {
  platform::Duration slept{};
  bool in_time = true;
  EXPECT_EQ(end_of([&] {
              const platform::Time began = platform::now();
              platform::sleep_until(began + std::chrono::hours(1));
              slept = platform::now() - began;
              platform::FutexWord word{0};
              in_time = platform::futex_wait(word, 0, platform::now() + std::chrono::hours(1));
            }),
            End::kFinished);
  EXPECT_EQ(slept, std::chrono::hours(1));
  EXPECT_FALSE(in_time);
}

// A timeout may come before the wake-up, or after it.
TEST(World, ExploresBothAWakeUpAndATimeout) {
  std::set<bool> in_time;
  bool woken = false;
  explore(
      2,
      [&] {
        platform::FutexWord word{0};
        Thread waiter([&] {
          woken = platform::futex_wait(word, 0, platform::now() + std::chrono::seconds(1));
        });
        word.store(1, kRelaxed);
        platform::futex_wake(word, 1);
        waiter.join();
      },
      [&] { in_time.insert(woken); });
  EXPECT_THAT(in_time, UnorderedElementsAre(false, true));
}

TEST(World, FindsAWordUsedAfterItsLife) {
  EXPECT_EQ(end_of([] {
              alignas(Atomic<int>) std::byte bytes[sizeof(Atomic<int>)];
              auto* const word = new (bytes) Atomic<int>(0);
              word->~Atomic();
              word->store(1, kRelaxed);
            }),
            End::kFailed);
}

// A lock may store to a word of its own and free it: the store need not have left the buffer.
TEST(World, LetsAThreadEndTheLifeOfAWordWhoseStoreItStillBuffers) {
  EXPECT_EQ(end_of([] {
              Thread other([] {
                auto word = std::make_unique<Atomic<int>>(0);
                word->store(1, kRelaxed);
                word.reset();
                Atomic<int> next{0};
                next.fetch_add(1, kRelaxed);  // empties the buffer
              });
              other.join();
            }),
            End::kFinished);
}

TEST(World, FailsAStoreThatIsBufferedWhenAnotherThreadEndsTheLifeOfItsWord) {
  const std::set<End> ends = explore(2, [] {
    auto* const word = new Atomic<int>(0);
    Thread one([&] { word->store(1, kRelaxed); });
    Thread two([&] { delete word; });
    one.join();
    two.join();
  });
  EXPECT_THAT(ends, Contains(End::kFailed));
}

// The store leaves the buffer before whatever tells another thread that the memory is free.
TEST(World, LetsAThreadFreeMemoryToWhichItStillBuffersAStoreBesideAnotherFree) {
  const auto ends = explore(2, [] {
    const auto store_and_free = [] {
      auto* const word = new int(0);
      world().add_unannounced_word(word, sizeof *word);
      world().store(word, sizeof *word, 1, kRelaxed);
      delete word;
    };
    Thread one(store_and_free);
    Thread two(store_and_free);
    one.join();
    two.join();
  });
  EXPECT_THAT(ends, Not(Contains(End::kFailed)));
}

TEST(World, EndsAnExecutionWhenItsTimeIsOver) {
  world().end_by(World::Clock::now());
  EXPECT_EQ(end_of([] {
              Atomic<int> word{0};
              for (int i = 0; i < 10'000; ++i) word.load(kRelaxed);
            }),
            End::kOutOfTime);
  world().end_by(std::nullopt);
}

// x86 keeps the order that the compiler kept, and C++ promises none between threads.
TEST(World, HeedsAFenceForTheCompilerUnderTsoAlone) {
  for (const MemoryModel memory_model : {MemoryModel::kTso, MemoryModel::kC11}) {
    World of_memory_model(memory_model);
    std::set<bool> ordered;
    for (DepthFirst search(2, 2); !search.exhausted(); search.next()) {
      bool before = true;
      const auto program = [&] {
        Atomic<int> flag{0};
        std::uint32_t moment = 0;
        Thread one([&] {
          moment = of_memory_model.memory().stamp(of_memory_model.thread());
          of_memory_model.compiler_fence(std::memory_order_release);
          flag.store(1, kRelaxed);
        });
        Thread two([&] {
          if (flag.load(kRelaxed) == 0) return;
          of_memory_model.compiler_fence(std::memory_order_acquire);
          before = of_memory_model.memory().happens_before(1, moment, of_memory_model.thread());
        });
        one.join();
        two.join();
      };
      if (of_memory_model.run(program, search).end == End::kFinished) ordered.insert(before);
    }
    EXPECT_EQ(ordered.contains(false), memory_model == MemoryModel::kC11);
  }
}

// The probability is 1 / 21. If each step were drawn, it would be one in a million.
TEST(PartialOrderSampling, LetsAnAccessComeAfterManyOfAnotherThread) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    PartialOrderSampling strategy(seed);
    world().run(
        [&] {
          Atomic<int> other{0};
          Atomic<int> word{0};
          Thread writer([&] {
            for (int i = 0; i < 19; ++i) other.fetch_add(1, kRelaxed);
            word.fetch_add(1, kRelaxed);
          });
          Thread reader([&] { seen += word.load(kRelaxed); });
          writer.join();
          reader.join();
        },
        strategy);
  }
  EXPECT_GT(seen, 5);
  EXPECT_LT(seen, 100);
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
  const std::set<End> ends = explore(3, [] {
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
  });
  EXPECT_THAT(ends, Contains(End::kFinished));
  EXPECT_THAT(ends, Not(Contains(End::kStuck)));
}

TEST(World, GivesThreadsAndProcessesTheirOwn) {
  struct Count {
    int value = 0;
  };
  int of_thread = -1;
  int of_process = -1;
  for (int again = 0; again < 2; ++again) {
    end_of([&] {
      ++platform::of_this_thread<Count>().value;
      ++platform::of_this_process<Count>().value;
      Thread other([&] {
        of_thread = ++platform::of_this_thread<Count>().value;
        of_process = ++platform::of_this_process<Count>().value;
      });
      other.join();
    });
    EXPECT_EQ(of_thread, 1);
    EXPECT_EQ(of_process, 2) << "what an execution left behind must not reach the next";
  }
}

}  // namespace
}  // namespace lockbench::stress::explore
