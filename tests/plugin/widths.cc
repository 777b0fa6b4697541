// SPDX-License-Identifier: Apache-2.0

// Locks with a count that is too narrow, and their controls.
#include <atomic>
#include <cstdint>
#include <lockbench/plugin.h>
#include <sched.h>

namespace {

// Readers are counted in the lowest kBits bits; the writer has the highest bit.
template <unsigned kBits>
class CountedReaders {
 public:
  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, kWriter, std::memory_order_acquire);
  }
  void unlock() { word_.fetch_and(~kWriter, std::memory_order_release); }

  void lock_shared() {
    while (!try_lock_shared()) sched_yield();
  }
  bool try_lock_shared() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & kWriter) == 0) {
      if (word_.compare_exchange_weak(seen, (seen + 1) & kCount, std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }
  void unlock_shared() { word_.fetch_sub(1, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kWriter = 1U << 31;
  static constexpr std::uint32_t kCount = (1U << kBits) - 1;

  std::atomic<std::uint32_t> word_{0};
};

// Counts its holds in the lowest kBits bits, as statistics do, and is held if the bit above is set.
template <unsigned kBits>
class CountedHolds {
 public:
  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() {
    std::uint64_t seen = word_.load(std::memory_order_relaxed) & ~kHeld;
    return word_.compare_exchange_strong(seen, seen | kHeld, std::memory_order_acquire);
  }
  // The carry of the last hold that can be counted sets the bit again.
  void unlock() { word_.store((word_.load() & ~kHeld) + 1, std::memory_order_release); }

 private:
  static constexpr std::uint64_t kHeld = std::uint64_t{1} << kBits;

  std::atomic<std::uint64_t> word_{0};
};

// A thread that finds the lock held counts itself in the lowest kBits bits and sleeps. Who releases
// wakes one if the count is not 0.
template <unsigned kBits>
class CountedSleepers {
 public:
  void lock() {
    while (!try_lock()) sleep();
  }
  bool try_lock() { return (word_.fetch_or(kHeld, std::memory_order_acquire) & kHeld) == 0; }
  void unlock() {
    if ((word_.fetch_and(~kHeld, std::memory_order_seq_cst) & kCount) == 0) return;
    wakes_.fetch_add(1, std::memory_order_seq_cst);
    wakes_.notify_one();
  }

 private:
  static constexpr std::uint32_t kHeld = 1U << 31;
  static constexpr std::uint32_t kCount = (1U << kBits) - 1;

  void add(std::uint32_t change) {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(seen, (seen & kHeld) | ((seen + change) & kCount),
                                        std::memory_order_seq_cst)) {
    }
  }
  void sleep() {
    const std::uint32_t wakes = wakes_.load(std::memory_order_seq_cst);
    add(1);
    if ((word_.load(std::memory_order_seq_cst) & kHeld) != 0) {
      wakes_.wait(wakes, std::memory_order_seq_cst);
    }
    add(kCount);  // one less
  }

  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> wakes_{0};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<CountedReaders<8>>("readers_in_8_bits", "a writer's bit, and a count");
  locks.add_alone<CountedReaders<16>>("readers_in_16_bits", "the same, for more readers");
  locks.add_alone<CountedSleepers<5>>("sleepers_in_5_bits",
                                      "wakes one if its count of sleepers is not 0");
  locks.add_alone<CountedSleepers<16>>("sleepers_in_16_bits", "the same, for more sleepers");
  locks.add_alone<CountedHolds<20>>("holds_in_20_bits", "counts its holds");
  locks.add_alone<CountedHolds<40>>("holds_in_40_bits", "the same, for longer");
}
