// SPDX-License-Identifier: Apache-2.0

// measure_cost(): what a lock adds to the requests that it sends, and how fast a key is handed
// over.
//
// Each block has lock() and unlock() of a key that nobody else wants, the same two requests by the
// client library alone, single requests after a pause, and clients that all wait for one key, which
// each of them holds for that pause; these, too, with the lock and, if `Bare` has a Client, with
// the client library alone. The order of each two alternates. The ratios are of one block, so that
// a disturbance of seconds hits both sides. A handoff is compared with requests after a pause,
// because server and client sleep before it, too, and take longer to wake than to answer; and with
// a handoff by the client library alone, which is what a handoff costs here at least.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "primitives/platform/clock.h"

namespace lockbench::services {

// `Bare` sends the requests of the lock: acquire() and release(). `Bare::Client`, made from a Bare,
// waits for a key that others hold: lock() and unlock(), each thread with its own.
template <class Lock, class Bare>
class CostOfLock {
 public:
  CostOfLock(Lock& lock, Bare& bare) : lock_(lock), bare_(bare) {}

  void measure(int blocks) {
    std::vector<double> costs;
    std::vector<double> handoffs;
    std::vector<double> over_floor;
    for (int block = 0; block < blocks; ++block) {
      const bool locks_first = block % 2 == 0;
      double locks_us = locks_first ? us_of_locks() : 0;
      const double requests_us = us_of_requests();
      if (!locks_first) locks_us = us_of_locks();
      const double single_us = us_of_single_request();
      double handoff_us = locks_first ? us_of_locks_handoff() : 0;
      const double floor_us = us_of_floor();
      if (!locks_first) handoff_us = us_of_locks_handoff();
      costs.push_back(locks_us / requests_us);
      handoffs.push_back(handoff_us / single_us);
      std::printf(
          "block %d: lock and unlock %.1f us, bare requests %.1f us, ratio %.3f; "
          "handoff %.1f us, request after a pause %.1f us, ratio %.2f\n",
          block + 1, locks_us, requests_us, costs.back(), handoff_us, single_us, handoffs.back());
      if (floor_us == 0) continue;
      over_floor.push_back(handoff_us / floor_us);
      std::printf("  handoff by the client library alone %.1f us, ratio %.3f\n", floor_us,
                  over_floor.back());
    }
    std::printf(
        "medians of %d blocks: lock and unlock %.3f × their requests; handoff among %d clients "
        "%.2f round trips\n",
        blocks, median(costs), kClients, median(handoffs));
    if (over_floor.empty()) return;
    std::printf("  which is %.3f × a handoff by the client library alone\n", median(over_floor));
  }

 private:
  using Microseconds = std::chrono::duration<double, std::micro>;

  static constexpr int kPairs = 500;          // of requests, in a block
  static constexpr int kClients = 8;          // that wait for one key
  static constexpr int kHoldsPerClient = 25;  // of these, in a block
  static constexpr int kSingles = 50;         // requests after a pause, in a block
  static constexpr std::chrono::milliseconds kPause{2};

  static double us_since(platform::Time begin) {
    return Microseconds(platform::now() - begin).count();
  }

  static double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  }

  double us_of_locks() {
    const platform::Time begin = platform::now();
    for (int i = 0; i < kPairs; ++i) {
      auto handle = lock_.handle(std::uint64_t{1});
      handle.lock();
      handle.unlock();
    }
    return us_since(begin) / kPairs;
  }

  double us_of_requests() {
    const platform::Time begin = platform::now();
    for (int i = 0; i < kPairs; ++i) {
      bare_.acquire();
      bare_.release();
    }
    return us_since(begin) / kPairs;
  }

  double us_of_single_request() {
    std::vector<double> times;
    for (int i = 0; i < kSingles; ++i) {
      std::this_thread::sleep_for(kPause);
      const platform::Time begin = platform::now();
      bare_.acquire();
      times.push_back(us_since(begin));
      bare_.release();
    }
    return median(std::move(times));
  }

  double us_of_locks_handoff() {
    return us_of_handoff([&] { return lock_.handle(std::uint64_t{2}); });
  }

  // 0: not known.
  double us_of_floor() {
    if constexpr (requires { typename Bare::Client; }) {
      return us_of_handoff([&] { return typename Bare::Client(bare_); });
    }
    return 0;
  }

  // From the call of unlock() to the return of the next lock(), while other clients wait. `make`
  // makes what a client locks and unlocks.
  template <class Make>
  static double us_of_handoff(const Make& make) {
    std::atomic<platform::Time> released{platform::Time{}};
    std::vector<double> handoffs;  // guarded by the lock
    std::vector<std::thread> clients;
    for (int client = 0; client < kClients; ++client) {
      clients.emplace_back([&] {
        auto handle = make();
        for (int i = 0; i < kHoldsPerClient; ++i) {
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

  Lock& lock_;
  Bare& bare_;
};

// The main() of a program NAME [BLOCKS]: calls `run(blocks)`.
inline int cost_main(const char* name, int argc, char** argv, void (*run)(int blocks)) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 11;
  if (argc > 2 || blocks < 1) {
    std::fprintf(stderr, "%s: wants a number of blocks, at least 1\n", name);
    return 2;
  }
  try {
    run(blocks);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace lockbench::services
