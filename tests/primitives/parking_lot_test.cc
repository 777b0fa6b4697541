// SPDX-License-Identifier: Apache-2.0

// ParkingMutex: many locks of a byte, whose waiters share a table.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "primitives/adaptive_mutex.h"
#include "primitives/parking_mutex.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

static_assert(TimedLockable<ParkingMutex>);

// More locks than the table has buckets, side by side.
TEST(ParkingMutex, LocksThatShareABucketAreApart) {
  constexpr std::size_t kLocks = 1024;
  const auto locks = std::make_unique<ParkingMutex[]>(kLocks);
  for (std::size_t i = 0; i < kLocks; i += 2) locks[i].lock();
  EXPECT_TRUE(elsewhere([&] {
    for (std::size_t i = 0; i < kLocks; ++i) {
      if (locks[i].try_lock() != (i % 2 == 1)) return false;
      if (i % 2 == 1) locks[i].unlock();
    }
    return true;
  }));
  for (std::size_t i = 0; i < kLocks; i += 2) locks[i].unlock();
}

// Barriers of which a test decides what happens between the store of a release and the look after
// it.
struct InterruptedBarriers {
  static bool available() noexcept { return true; }
  static void light() noexcept {
    if (!interruption) return;
    const auto now = std::exchange(interruption, nullptr);
    now();
  }
  static void heavy() noexcept {}

  static inline thread_local std::function<void()> interruption;
};

// Four bytes that are an AdaptiveMutex first, and then a ParkingMutex with three neighbours.
class ReusedMemory {
 public:
  using Adaptive = BasicAdaptiveMutex<InterruptedBarriers>;

  Adaptive& adaptive() { return *adaptive_; }
  ParkingMutex& parking() { return *parking_; }

  // Makes somebody wait once, so that releases here become shared.
  void contend() {
    adaptive().lock();
    std::jthread waiter([this] {
      adaptive().lock();
      adaptive().unlock();
    });
    while (!is_parked<Adaptive>()) std::this_thread::yield();
    adaptive().unlock();
  }

  void reuse() {
    adaptive_->~Adaptive();
    bytes_.fill(std::byte{0xAA});
    parking_ = new (bytes_.data()) ParkingMutex();
  }

  template <class Lock>
  bool is_parked() {
    bool parked = true;
    internal::ParkingLot::of<Lock>().if_empty(bytes_.data(), [&] { parked = false; });
    return parked;
  }

  bool neighbours_unchanged() const {
    return std::all_of(bytes_.begin() + 1, bytes_.end(),
                       [](std::byte byte) { return byte == std::byte{0xAA}; });
  }

 private:
  alignas(Adaptive) std::array<std::byte, sizeof(Adaptive)> bytes_{};
  Adaptive* const adaptive_ = new (bytes_.data()) Adaptive();
  ParkingMutex* parking_ = nullptr;
};

// The release of an adaptive lock comes late: its memory is another lock by then.
TEST(ParkingMutex, IsNotWrittenByTheLateReleaseOfAnotherLockThatWasThere) {
  ReusedMemory memory;
  std::jthread waiter;
  memory.adaptive().lock();
  memory.adaptive().unlock();  // the first release asks whether there are barriers
  memory.adaptive().lock();
  InterruptedBarriers::interruption = [&] {
    memory.contend();
    memory.reuse();
    memory.parking().lock();
    waiter = std::jthread([&] { const std::scoped_lock guard(memory.parking()); });
    while (!memory.is_parked<ParkingMutex>()) std::this_thread::yield();
  };
  memory.adaptive().unlock();
  EXPECT_TRUE(memory.neighbours_unchanged());
  EXPECT_TRUE(memory.is_parked<ParkingMutex>());
  memory.parking().unlock();
}

}  // namespace
}  // namespace lockbench
