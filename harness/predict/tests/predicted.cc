// SPDX-License-Identifier: Apache-2.0

// Locks for predictions. Of two locks with the same accesses, one is on lockbench::platform and one
// on what the compiler instruments; others differ from one of these by what the model has to
// charge.
#include <atomic>
#include <cstdint>
#include <lockbench/plugin.h>
#include <mutex>
#include <poll.h>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace {

template <template <class> class Atomic>
class Ticket {
 public:
  void lock() {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (serving_.load(std::memory_order_acquire) != mine) lockbench::platform::pause();
  }
  bool try_lock() {
    std::uint32_t serving = serving_.load(std::memory_order_acquire);
    return next_.compare_exchange_strong(serving, serving + 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  alignas(64) Atomic<std::uint32_t> next_{0};
  alignas(64) Atomic<std::uint32_t> serving_{0};
};

template <class T>
using Platform = lockbench::platform::Atomic<T>;
template <class T>
using Standard = std::atomic<T>;

// One thread after the other writes to four lines.
class WithData : public Ticket<Standard> {
 public:
  void lock() {
    Ticket::lock();
    for (Line& line : lines_) ++line.word;
  }

 private:
  struct alignas(64) Line {
    std::uint64_t word = 0;
  };
  Line lines_[4];
};

class WithPauses : public std::mutex {
 public:
  static constexpr int kPauses = 100;

  void lock() {
#if defined(__x86_64__)
    for (int i = 0; i < kPauses / 2; ++i) __builtin_ia32_pause();
    for (int i = 0; i < kPauses / 2; ++i) asm volatile("pause");
#endif
    std::mutex::lock();
  }
};

// A node that its thread stores to and then gives up: the store must not reach what is there later.
class WithNodes : public std::mutex {
 public:
  void lock() {
    std::mutex::lock();
    store_to_node();
    store_to_block();
  }

 private:
  [[gnu::noinline]] static void store_to_node() {
    std::atomic<std::uint64_t> words[8];
    for (std::atomic<std::uint64_t>& word : words) word.store(~0ULL, std::memory_order_release);
  }
  [[gnu::noinline]] static void store_to_block() {
    auto* const words = new std::atomic<std::uint64_t>[32];
    for (int i = 0; i < 32; ++i) words[i].store(~0ULL, std::memory_order_release);
    delete[] words;
  }
};

// Its releases are stores that do not wait in the store buffer, where what the holder stored before
// may still be.
class Volatile {
 public:
  void lock() {
    while (!try_lock()) lockbench::platform::pause();
  }
  bool try_lock() { return __sync_bool_compare_and_swap(&held_, 0, 1); }
  void unlock() { held_ = 0; }

 private:
  alignas(64) volatile int held_ = 0;
};

class TwoSteps {
 public:
  void lock() {
    while (!try_lock()) lockbench::platform::pause();
  }
  bool try_lock() {
    if (held_.load(std::memory_order_acquire)) return false;
    held_.store(true, std::memory_order_relaxed);
    return true;
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

class Polls : public std::mutex {
 public:
  void lock() {
    poll(nullptr, 0, 0);
    std::mutex::lock();
  }
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<Ticket<Platform>>("on_platform", "a ticket lock");
  locks.add<Ticket<Standard>>("on_atomics", "a ticket lock");
  locks.add<WithData>("with_data", "a ticket lock, and data");
  locks.add<std::mutex>("mutex", "std::mutex");
  locks.add<WithPauses>("with_pauses", "std::mutex after pauses");
  locks.add<WithNodes>("with_nodes", "std::mutex, and memory that is given up");
  locks.add<Volatile>("with_volatile", "an int that is written without an atomic access");
  locks.add<TwoSteps>("two_steps", "broken: looks, and then writes");
  locks.add<Polls>("polls", "calls what no simulation decides");
}
