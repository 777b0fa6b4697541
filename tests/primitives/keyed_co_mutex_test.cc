// SPDX-License-Identifier: Apache-2.0

#include "primitives/keyed_co_mutex.h"

#include <array>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <latch>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// The package libasio-dev, or libboost-dev; without both the last test is left out.
#if __has_include(<asio/thread_pool.hpp>)
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#define HAS_ASIO 1
#elif __has_include(<boost/asio/thread_pool.hpp>)
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
namespace asio = boost::asio;
#define HAS_ASIO 1
#else
#define HAS_ASIO 0
#endif

namespace lockbench {
namespace {

// A coroutine that runs until it waits, and frees itself at its end.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

// Resumes coroutines in its threads, in the order in which they were posted.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::scoped_lock guard(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
  }

  void post(std::coroutine_handle<> coroutine) {
    {
      std::scoped_lock guard(mutex_);
      queue_.push_back(coroutine);
    }
    changed_.notify_one();
  }
  auto poster() {
    return [this](std::coroutine_handle<> coroutine) { post(coroutine); };
  }

  // The object that a coroutine awaits to go on in a thread of the pool.
  auto schedule() {
    struct Hop {
      Pool& pool;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> coroutine) const { pool.post(coroutine); }
      void await_resume() const {}
    };
    return Hop{*this};
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [this] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::coroutine_handle<> next = queue_.front();
      queue_.pop_front();
      guard.unlock();
      next.resume();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::coroutine_handle<>> queue_;
  bool ended_ = false;
  std::vector<std::jthread> threads_;
};

Detached note_in_order(KeyedCoMutex<>& locks, Pool& pool, char name, std::string& order,
                       std::latch& done) {
  auto hold = co_await locks.lock(1, pool.poster());
  order += name;
  hold.unlock();
  done.count_down();
}

TEST(KeyedCoMutex, ACoroutineTakesAFreeKeyAtOnce) {
  KeyedCoMutex<> locks;
  Pool pool(1);
  std::string order;
  std::latch done(1);
  note_in_order(locks, pool, 'a', order, done);
  EXPECT_EQ(order, "a");  // before any other thread did anything
  EXPECT_EQ(locks.keys_kept(), 0U);
}

TEST(KeyedCoMutex, CoroutinesGetAKeyInTheOrderInWhichTheyAskedForIt) {
  KeyedCoMutex<> locks(1);
  Pool pool(2);
  std::string order;
  std::latch done(3);
  auto hold = locks.try_lock(1);
  ASSERT_TRUE(hold.owns_lock());
  for (const char name : {'a', 'b', 'c'}) note_in_order(locks, pool, name, order, done);
  EXPECT_EQ(order, "");
  EXPECT_FALSE(locks.try_lock(1).owns_lock());
  EXPECT_TRUE(locks.try_lock(2).owns_lock());
  hold.unlock();
  done.wait();
  EXPECT_EQ(order, "abc");
}

TEST(KeyedCoMutex, AHoldMovesAndIsReleasedInAnotherThread) {
  KeyedCoMutex<std::string> locks;
  auto hold = locks.try_lock("ada");
  std::jthread([moved = std::move(hold)]() mutable { moved.unlock(); }).join();
  EXPECT_FALSE(hold.owns_lock());  // NOLINT(bugprone-use-after-move): what a move leaves
  hold = locks.try_lock("ada");
  EXPECT_TRUE(hold.owns_lock());
  hold = {};
  EXPECT_EQ(locks.keys_kept(), 0U);
}

Detached work(KeyedCoMutex<>& locks, Pool& pool, std::array<long, 3>& counts, int rounds,
              std::latch& done) {
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t key = static_cast<std::uint64_t>(i) % 3;
    auto hold = co_await locks.lock(key, pool.poster());
    const long seen = counts[key];
    co_await pool.schedule();  // it may go on in another thread, and still holds the key
    counts[key] = seen + 1;
  }
  done.count_down();
}

TEST(KeyedCoMutex, NoUpdateIsLost) {
  constexpr int kCoroutines = 8;
  constexpr int kRounds = 3000;
  KeyedCoMutex<> locks(1);
  std::array<long, 3> counts{};
  {
    std::latch done(kCoroutines);
    Pool pool(3);
    for (int i = 0; i < kCoroutines; ++i) work(locks, pool, counts, kRounds, done);
    done.wait();
  }
  EXPECT_EQ(counts[0] + counts[1] + counts[2], long{kCoroutines} * kRounds);
  EXPECT_EQ(locks.keys_kept(), 0U);
}

#if HAS_ASIO
Detached deposit(KeyedCoMutex<std::string_view>& accounts, asio::thread_pool& pool,
                 std::string_view user, long& balance, std::latch& done) {
  const auto post = [&pool](std::coroutine_handle<> waiter) { asio::post(pool, waiter); };
  for (int i = 0; i < 1000; ++i) {
    auto account = co_await accounts.lock(user, post);
    ++balance;
  }
  done.count_down();
}

TEST(KeyedCoMutex, AsioResumesCoroutinesThatWait) {
  constexpr int kCoroutines = 6;
  KeyedCoMutex<std::string_view> accounts;
  std::array<long, 2> balances{};
  {
    asio::thread_pool pool(3);
    std::latch done(kCoroutines);
    for (int i = 0; i < kCoroutines; ++i) {
      asio::post(pool, [&, i] {
        deposit(accounts, pool, i % 2 == 0 ? "ada" : "bob", balances[i % 2], done);
      });
    }
    done.wait();
    pool.join();
  }
  EXPECT_EQ(balances, (std::array<long, 2>{3000, 3000}));
  EXPECT_EQ(accounts.keys_kept(), 0U);
}
#endif

}  // namespace
}  // namespace lockbench
