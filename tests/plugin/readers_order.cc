// SPDX-License-Identifier: Apache-2.0

// Locks for readers and writers that promise an order of both, and keep it or do not.
#include <atomic>
#include <cstdint>
#include <lockbench/plugin.h>
#include <sched.h>

namespace {

using lockbench::LockPromises;
using lockbench::ReadersOrder;

// Readers and writers draw numbers from one roll, and are served by number; a reader lets the next
// number pass at once. A broken one lets readers in as long as readers are inside.
template <bool kPassesWriters, ReadersOrder kOrder = ReadersOrder::kNone>
class TaskFair {
 public:
  static constexpr LockPromises kPromises{.fair = true, .readers_order = kOrder};

  void lock() {
    await(next_.fetch_add(1));
    while (readers_.load() != 0) sched_yield();
  }
  bool try_lock() {
    std::uint32_t number = served_.load();
    if (!next_.compare_exchange_strong(number, number + 1)) return false;
    if (readers_.load() == 0) return true;
    unlock();
    return false;
  }
  void unlock() { served_.fetch_add(1); }

  void lock_shared() {
    if (kPassesWriters && joins()) return;
    await(next_.fetch_add(1));
    readers_.fetch_add(1);
    served_.fetch_add(1);
  }
  bool try_lock_shared() {
    std::uint32_t number = served_.load();
    if (!next_.compare_exchange_strong(number, number + 1)) return false;
    readers_.fetch_add(1);
    served_.fetch_add(1);
    return true;
  }
  void unlock_shared() { readers_.fetch_sub(1); }

 private:
  void await(std::uint32_t number) {
    while (served_.load() != number) sched_yield();
  }
  bool joins() {
    for (std::uint32_t inside = readers_.load(); inside != 0;) {
      if (readers_.compare_exchange_strong(inside, inside + 1)) return true;
    }
    return false;
  }

  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> served_{0};
  std::atomic<std::uint32_t> readers_{0};
};

// B. Brandenburg, J. Anderson, "Spin-based reader-writer synchronization for multiprocessor
// real-time systems", 2010: PF-T.
class PhaseFair {
 public:
  static constexpr LockPromises kPromises{.readers_order = ReadersOrder::kPhaseFair};

  void lock() {
    const std::uint32_t number = writers_in_.fetch_add(1);
    while (writers_out_.load() != number) sched_yield();
    const std::uint32_t before = readers_in_.fetch_add(writers_bits());
    while (readers_out_.load() != before) sched_yield();
  }
  bool try_lock() {
    std::uint32_t number = writers_out_.load();
    if (!writers_in_.compare_exchange_strong(number, number + 1)) return false;
    std::uint32_t before = readers_out_.load();
    if (readers_in_.compare_exchange_strong(before, before | writers_bits())) {
      return true;
    }
    writers_out_.fetch_add(1);
    return false;
  }
  void unlock() {
    phase_.fetch_xor(kPhase);
    readers_in_.fetch_and(~kWriterBits);
    writers_out_.fetch_add(1);
  }

  void lock_shared() {
    const std::uint32_t writer = readers_in_.fetch_add(kReader) & kWriterBits;
    while (writer != 0 && (readers_in_.load() & kWriterBits) == writer) sched_yield();
  }
  bool try_lock_shared() {
    std::uint32_t seen = readers_in_.load();
    if ((seen & kWriterBits) != 0) return false;
    return readers_in_.compare_exchange_strong(seen, seen + kReader);
  }
  void unlock_shared() { readers_out_.fetch_add(kReader); }

 private:
  static constexpr std::uint32_t kPhase = 1;
  static constexpr std::uint32_t kPresent = 2;
  static constexpr std::uint32_t kWriterBits = 3;
  static constexpr std::uint32_t kReader = 0x100;

  // The bits of the writer whose turn it is. They differ from those of the last one that was
  // inside, so that a reader that waits for that one does not wait for this one.
  std::uint32_t writers_bits() const { return kPresent | phase_.load(); }

  std::atomic<std::uint32_t> readers_in_{0};
  std::atomic<std::uint32_t> readers_out_{0};
  std::atomic<std::uint32_t> writers_in_{0};
  std::atomic<std::uint32_t> writers_out_{0};
  std::atomic<std::uint32_t> phase_{0};
};

// A count of readers and of writers that wait, which readers respect, or do not. The state is under
// a flag.
template <bool kRespected, ReadersOrder kOrder, bool kTriesAlone = false>
class CountsWaiting {
 public:
  static constexpr LockPromises kPromises{.strong_try = kOrder == ReadersOrder::kNone,
                                          .readers_order = kOrder};

  void lock() {
    waiting_.fetch_add(1);
    while (!try_lock()) sched_yield();
    waiting_.fetch_sub(1);
  }
  bool try_lock() {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, kWriter);
  }
  void unlock() { word_.store(0); }

  void lock_shared() {
    while ((kRespected && waiting_.load() != 0) || !enter()) sched_yield();
  }
  bool try_lock_shared() {
    if (kTriesAlone && word_.load() != 0) return false;
    return enter();
  }
  void unlock_shared() { word_.fetch_sub(1); }

 private:
  static constexpr std::uint32_t kWriter = 1U << 31;

  bool enter() {
    std::uint32_t seen = word_.load();
    while ((seen & kWriter) == 0) {
      if (word_.compare_exchange_strong(seen, seen + 1)) return true;
    }
    return false;
  }

  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> waiting_{0};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  using enum ReadersOrder;
  locks.add<TaskFair<false>>("task_fair", "readers and writers by one roll of numbers");
  locks.add_alone<TaskFair<true>>("task_fair_joins", "the same, and readers join those inside");
  locks.add_alone<PhaseFair>("phase_fair", "readers wait for one writer at most");
  locks.add_alone<TaskFair<false, kPhaseFair>>("phase_fair_roll",
                                               "readers wait for all that came first");
  locks.add_alone<TaskFair<true, kPhaseFair>>("phase_fair_joins", "readers join those inside");
  locks.add_alone<CountsWaiting<true, kWritersFirst>>("writers_first",
                                                      "readers let waiting writers pass");
  locks.add_alone<CountsWaiting<false, kWritersFirst>>("writers_last",
                                                       "readers pass waiting writers");
  locks.add_alone<CountsWaiting<false, kNone>>("tries_beside",
                                               "a reader's try succeeds beside readers");
  locks.add_alone<CountsWaiting<false, kNone, true>>("tries_alone", "it succeeds alone");
}
