// SPDX-License-Identifier: Apache-2.0

// Locks with faults that their authors published: each written here anew, before (`_before`) and
// after (`_after`) the fault was repaired, and nothing else changed.
//
//   lockbench stress --plugin ./published_locks.so --engine sim
//   lockbench stress tbb_notify_before --plugin ./published_locks.so --engine sim --memory c11
#include <atomic>
#include <cstdint>
#include <linux/futex.h>
#include <lockbench/plugin.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace {

enum class Version { kBefore, kAfter };

// The order of all atomic operations of musl, which has no weaker ones.
constexpr auto kAll = std::memory_order_seq_cst;

void futex_wait(std::atomic<int>& word, int expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, nullptr);
}

void futex_wake(std::atomic<int>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
}

// The lock of a FILE in musl, from commit c21f7507 to 0db393d3 (2020, "fix race condition in file
// locking"). A thread that was woken takes the lock without the bit by which its release would wake
// others, and sleeps again without setting the bit where another thread came first.
//
// 0 free | thread, held | thread + kWaiters, held, and threads may sleep
template <Version kVersion>
class MuslFileLock {
 public:
  void lock() { kVersion == Version::kBefore ? lock_before() : lock_after(); }

  bool try_lock() {
    int owner = 0;
    return word_.compare_exchange_strong(owner, gettid(), kAll);
  }

  void unlock() {
    if ((word_.exchange(0, kAll) & kWaiters) != 0) futex_wake(word_, 1);
  }

 private:
  static constexpr int kWaiters = 1 << 30;

  // The flag is set by who finds the lock held, and is lost with who takes it.
  void lock_before() {
    for (;;) {
      int owner = 0;
      if (word_.compare_exchange_strong(owner, gettid(), kAll)) return;
      const int waiting = owner | kWaiters;
      if (owner == waiting || word_.compare_exchange_strong(owner, waiting, kAll)) {
        futex_wait(word_, waiting);
      }
    }
  }

  // Who has ever waited takes the lock with the flag.
  void lock_after() {
    int owner = 0;
    if (word_.compare_exchange_strong(owner, gettid(), kAll)) return;
    for (;;) {
      owner = 0;
      if (word_.compare_exchange_strong(owner, gettid() | kWaiters, kAll)) return;
      const int waiting = owner | kWaiters;
      if (owner == waiting || word_.compare_exchange_strong(owner, waiting, kAll)) {
        futex_wait(word_, waiting);
      }
    }
  }

  std::atomic<int> word_{0};
};

// The semaphore of musl before commit 88c4e720 (2012, "overhaul posix semaphores to fix
// destructability race"); glibc had the same fault (bug 12674). sem_post() reads the number of
// waiters after it has given the semaphore away: by then another thread may have taken it, and have
// destroyed it, as the last one that needs it may.
template <Version kVersion>
class MuslSemaphore {
 public:
  static constexpr bool kLastMayDestroy = true;

  void lock() {
    while (!try_lock()) {
      waiters_.fetch_add(1, kAll);
      const int asleep = kVersion == Version::kBefore ? 0 : -1;
      int none = 0;
      if (kVersion == Version::kAfter) value_.compare_exchange_strong(none, -1, kAll);
      futex_wait(value_, asleep);
      waiters_.fetch_sub(1, kAll);
    }
  }

  bool try_lock() {
    for (int value = value_.load(kAll); value > 0;) {
      const bool last = kVersion == Version::kAfter && value == 1 && waiters_.load(kAll) != 0;
      if (value_.compare_exchange_strong(value, value - 1 - (last ? 1 : 0), kAll)) return true;
    }
    return false;
  }

  void unlock() {
    int value = value_.load(kAll);
    if (kVersion == Version::kBefore) {
      while (!value_.compare_exchange_strong(value, value + 1, kAll)) {
      }
      if (waiters_.load(kAll) != 0) futex_wake(value_, 1);
      return;
    }
    int waiters = 0;
    do {
      waiters = waiters_.load(kAll);
    } while (!value_.compare_exchange_strong(value, value + (value < 0 ? 2 : 1), kAll));
    if (value < 0 || waiters != 0) futex_wake(value_, 1);
  }

 private:
  std::atomic<int> value_{1};  // -1: none, and threads wait
  std::atomic<int> waiters_{0};
};

// The ticket lock of NuttX before pull request 19880 (2026; issue 19808). A compare-exchange that
// fails writes the value that it found where its expected value is kept: for try_lock() that is the
// number being served. A try that loses so frees a lock that is held.
template <Version kVersion>
class NuttxTicketLock {
 public:
  void lock() {
    const unsigned mine = next_.fetch_add(1, kAll);
    while (owner_.load(kAll) != mine) sched_yield();
  }

  bool try_lock() {
    unsigned expected = owner_.load(kAll);
    const unsigned wanted = kVersion == Version::kBefore ? next_.load(kAll) + 1 : expected + 1;
    if (next_.compare_exchange_strong(expected, wanted, kAll)) return true;
    if (kVersion == Version::kBefore) owner_.store(expected, kAll);
    return false;
  }

  void unlock() { owner_.fetch_add(1, kAll); }

 private:
  std::atomic<unsigned> next_{0};
  std::atomic<unsigned> owner_{0};
};

// How oneTBB's mutex waits, before pull request 2136 (2026, "lost wakeup in notify_by_address on
// AArch64"). Who unlocks changes the flag and then looks whether anybody waits; who waits enters
// itself and then looks at the flag. Without a fence between the two in unlock() both may read the
// old value: the wake-up is lost. x86 has the fence in its read-modify-write.
template <Version kVersion>
class TbbNotify {
 public:
  void lock() {
    while (!try_lock()) wait_while_held();
  }

  bool try_lock() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, kAll); }

  void unlock() {
    held_.exchange(false, kAll);
    if (kVersion == Version::kAfter) std::atomic_thread_fence(kAll);
    if (waiting_.load(std::memory_order_relaxed) != 0) wake_first();
  }

 private:
  struct Waiter {
    Waiter* next = nullptr;
    std::atomic<int> woken{0};
  };

  void lock_list() {
    while (list_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock_list() { list_.store(false, std::memory_order_release); }

  void wait_while_held() {
    Waiter self;
    lock_list();
    Waiter** end = &first_;
    while (*end != nullptr) end = &(*end)->next;
    *end = &self;
    waiting_.store(waiting_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    unlock_list();
    std::atomic_thread_fence(kAll);
    if (!held_.load(std::memory_order_relaxed) && leave(self)) return;
    while (self.woken.load(std::memory_order_acquire) == 0) futex_wait(self.woken, 0);
  }

  // False when somebody else has taken it out, and will wake it.
  bool leave(Waiter& self) {
    lock_list();
    Waiter** at = &first_;
    while (*at != nullptr && *at != &self) at = &(*at)->next;
    const bool found = *at == &self;
    if (found) take_out(at);
    unlock_list();
    return found;
  }

  void take_out(Waiter** at) {
    *at = (*at)->next;
    waiting_.store(waiting_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }

  void wake_first() {
    lock_list();
    Waiter* const first = first_;
    if (first != nullptr) take_out(&first_);
    unlock_list();
    if (first == nullptr) return;
    std::atomic<int>& woken = first->woken;
    woken.store(1, std::memory_order_release);
    futex_wake(woken, INT_MAX);
  }

  std::atomic<bool> held_{false};
  std::atomic<unsigned> waiting_{0};
  std::atomic<bool> list_{false};
  Waiter* first_ = nullptr;  // under list_
};

template <template <Version> class L>
void add_both(lockbench::PluginLocks& locks, const std::string& name, const std::string& summary,
              const std::string& origin) {
  locks.add<L<Version::kBefore>>(name + "_before", summary, origin);
  locks.add<L<Version::kAfter>>(name + "_after", summary, origin);
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  add_both<MuslFileLock>(locks, "musl_file", "who waits again does not say so", "musl 0db393d3");
  add_both<MuslSemaphore>(locks, "musl_semaphore", "looks for waiters after it is given away",
                          "musl 88c4e720, glibc 12674");
  add_both<NuttxTicketLock>(locks, "nuttx_ticket", "a try that fails frees the lock",
                            "NuttX 19880");
  add_both<TbbNotify>(locks, "tbb_notify", "no fence before it looks for waiters", "oneTBB 2136");
}
