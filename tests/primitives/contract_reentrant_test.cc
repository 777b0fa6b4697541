// Reentrant locks: their owner may lock again; others wait for the last unlock.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"
#include "tests/primitives/primitive_list.h"

namespace lockbench {
namespace {

struct LetsOwnerIn {
  template <class S>
  static constexpr bool kFor = S::Primitive::kPromises.reentrant;
};

template <class S>
class Reentrant : public ContractTest<S> {};
TYPED_TEST_SUITE(Reentrant, Where<LetsOwnerIn>, NameOfSubject);

TYPED_TEST(Reentrant, OthersAreKeptOutUntilTheLastUnlock) {
  constexpr int kDepth = 5;
  auto handle = this->handle(1);
  for (int i = 0; i < kDepth; ++i) handle.lock();
  for (int i = 0; i < kDepth; ++i) {
    EXPECT_FALSE(this->is_free(1));
    handle.unlock();
  }
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Reentrant, DepthIsKeptByTheLockAndNotByTheHandle) {
  auto outer = this->handle(1);
  std::scoped_lock outer_guard(outer);
  {
    auto inner = this->handle(1);
    std::scoped_lock inner_guard(inner);
  }
  EXPECT_FALSE(this->is_free(1));
}

TYPED_TEST(Reentrant, TheOwnersTryGoesDeeper) {
  auto handle = this->handle(1);
  handle.lock();
  ASSERT_TRUE(handle.try_lock());
  handle.unlock();
  EXPECT_FALSE(this->is_free(1));
  handle.unlock();
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Reentrant, AThousandLevelsComeBack) {
  constexpr int kDepth = 1000;
  auto handle = this->handle(1);
  for (int i = 0; i < kDepth; ++i) handle.lock();
  for (int i = 1; i < kDepth; ++i) handle.unlock();
  EXPECT_FALSE(this->is_free(1));
  handle.unlock();
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Reentrant, NestedUpdatesOfManyThreadsAreKept) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  std::atomic<int> counter{0};
  run_threads(kThreads, [&](std::size_t number) {
    for (int i = 0; i < kRounds; ++i) {
      const int depth = 1 + (i + static_cast<int>(number)) % 5;
      auto handle = this->handle(1);
      for (int level = 0; level < depth; ++level) handle.lock();
      // relaxed: the lock under test is what orders it.
      const int seen = counter.load(std::memory_order_relaxed);
      if (i % 32 == 0) std::this_thread::yield();
      for (int level = 1; level < depth; ++level) handle.unlock();
      counter.store(seen + 1, std::memory_order_relaxed);
      handle.unlock();
    }
  });
  EXPECT_EQ(counter.load(), kThreads * kRounds);
}

TEST(ReentrantLock, TheOwnersTimedLockGoesDeeperAtOnce) {
  ReentrantLock<> lock;
  auto handle = lock.handle(std::uint64_t{1});
  handle.lock();
  ASSERT_TRUE(handle.try_lock_for(std::chrono::nanoseconds(0)));
  handle.unlock();
  EXPECT_FALSE(elsewhere([&] { return lock.handle(std::uint64_t{1}).try_lock(); }));
  handle.unlock();
}

}  // namespace
}  // namespace lockbench
