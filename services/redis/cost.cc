// SPDX-License-Identifier: Apache-2.0

// redis-lock-cost: what RedisLock adds to the requests that it sends, and how fast a key is handed
// over.
//
//   LOCKBENCH_REDIS=127.0.0.1:6379 redis-lock-cost [BLOCKS]
//
// Each block has lock() and unlock() of a key that nobody else wants, the same two requests by
// hiredis alone, single requests after a pause, and clients that all wait for one key, which each
// of them holds for that pause. The order of the first two alternates. The ratios are of one block,
// so that a disturbance of seconds hits both sides. A handover is compared with requests after a
// pause, because server and client sleep before it, too, and take longer to wake than to answer.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "services/redis/lock_scripts.h"
#include "services/redis/redis_lock.h"

namespace lockbench::services {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;

constexpr int kPairs = 500;          // of requests, in a block
constexpr int kClients = 8;          // that wait for one key
constexpr int kHoldsPerClient = 25;  // of these, in a block
constexpr int kSingles = 50;         // requests after a pause, in a block
constexpr std::chrono::milliseconds kPause{2};

double us_since(platform::Time begin) {
  return Microseconds(platform::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// hiredis, and nothing else.
class Bare {
 public:
  Bare(const Address& address, Connection& connection)
      : context_(redisConnect(address.host.c_str(), address.port)),
        acquire_(acquire_script().hash_at(connection)),
        release_(release_script().hash_at(connection)) {
    if (context_ == nullptr || context_->err != 0) throw ServiceError("cannot connect");
  }
  ~Bare() { redisFree(context_); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void acquire() {
    send({"EVALSHA", acquire_.c_str(), "3", kKey, kToken, kQueue, kValue, "10000", "600000",
          "leave"});
  }
  void release() { send({"EVALSHA", release_.c_str(), "2", kKey, kQueue, kValue, kChannels}); }

 private:
  static constexpr const char* kKey = "lockbench:bare:{key}";
  static constexpr const char* kToken = "lockbench:bare:{key}:token";
  static constexpr const char* kQueue = "lockbench:bare:{key}:queue";
  static constexpr const char* kChannels = "lockbench:bare:{key}:free:";
  static constexpr const char* kValue = "0123456789abcdef0123456789abcdef";

  template <std::size_t N>
  void send(const char* const (&words)[N]) {
    auto* const reply = static_cast<redisReply*>(
        redisCommandArgv(context_, N, const_cast<const char**>(words), nullptr));
    const bool sound = reply != nullptr && reply->type == REDIS_REPLY_INTEGER;
    if (reply != nullptr) freeReplyObject(reply);
    if (!sound) throw ServiceError("no answer to a bare request");
  }

  redisContext* const context_;
  const std::string acquire_;
  const std::string release_;
};

double us_of_locks(RedisLock& lock) {
  const platform::Time begin = platform::now();
  for (int i = 0; i < kPairs; ++i) {
    auto handle = lock.handle(std::uint64_t{1});
    handle.lock();
    handle.unlock();
  }
  return us_since(begin) / kPairs;
}

double us_of_requests(Bare& bare) {
  const platform::Time begin = platform::now();
  for (int i = 0; i < kPairs; ++i) {
    bare.acquire();
    bare.release();
  }
  return us_since(begin) / kPairs;
}

double us_of_single_request(Bare& bare) {
  std::vector<double> times;
  for (int i = 0; i < kSingles; ++i) {
    std::this_thread::sleep_for(kPause);
    const platform::Time begin = platform::now();
    bare.acquire();
    times.push_back(us_since(begin));
    bare.release();
  }
  return median(std::move(times));
}

// From the call of unlock() to the return of the next lock(), while other clients wait.
double us_of_handoff(RedisLock& lock) {
  std::atomic<platform::Time> released{platform::Time{}};
  std::vector<double> handoffs;  // guarded by the lock
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&] {
      for (int i = 0; i < kHoldsPerClient; ++i) {
        auto handle = lock.handle(std::uint64_t{2});
        handle.lock();
        const platform::Time before = released.load();
        if (before != platform::Time{}) handoffs.push_back(us_since(before));
        std::this_thread::sleep_for(kPause);  // the others come to wait
        released = platform::now();
        handle.unlock();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  return median(std::move(handoffs));
}

int run(int blocks) {
  const Address address = addresses_of("redis").front();
  RedisLock lock(address, {});
  RequestCounts counts;
  Connection connection(address, counts);
  Bare bare(address, connection);
  std::vector<double> costs;
  std::vector<double> handoffs;
  for (int block = 0; block < blocks; ++block) {
    const bool locks_first = block % 2 == 0;
    double locks_us = locks_first ? us_of_locks(lock) : 0;
    const double requests_us = us_of_requests(bare);
    if (!locks_first) locks_us = us_of_locks(lock);
    const double single_us = us_of_single_request(bare);
    const double handoff_us = us_of_handoff(lock);
    costs.push_back(locks_us / requests_us);
    handoffs.push_back(handoff_us / single_us);
    std::printf(
        "block %d: lock and unlock %.1f us, bare requests %.1f us, ratio %.3f; "
        "handoff %.1f us, request after a pause %.1f us, ratio %.2f\n",
        block + 1, locks_us, requests_us, costs.back(), handoff_us, single_us, handoffs.back());
  }
  std::printf(
      "medians of %d blocks: lock and unlock %.3f × their requests; handoff among %d clients %.2f "
      "round trips\n",
      blocks, median(costs), kClients, median(handoffs));
  return 0;
}

}  // namespace
}  // namespace lockbench::services

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 11;
  if (argc > 2 || blocks < 1) {
    std::fprintf(stderr, "redis-lock-cost: wants a number of blocks, at least 1\n");
    return 2;
  }
  try {
    return lockbench::services::run(blocks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "redis-lock-cost: %s\n", error.what());
    return 1;
  }
}
