// SPDX-License-Identifier: Apache-2.0

// Asymmetric locks in a process that installs a seccomp filter after it has started to use them:
// membarrier worked before, and fails from then on.
//
// Each test runs in a child of its own: a filter cannot be removed.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/adaptive_mutex.h"
#include "primitives/biased_recursive_mutex.h"
#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/platform/barrier.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"
#include "tests/primitives/forbid.h"

namespace lockbench {
namespace {

// How a child ended: with all well, with that many faults (at most 100), by a signal.
struct Ending {
  int faults = 0;
  int signal = 0;
};

constexpr int kCannotRun = 101;

template <class Work>
Ending in_a_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);  // a lost wake-up hangs
    const int faults = work();
    _exit(faults < kCannotRun ? faults : 100);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? Ending{.signal = WTERMSIG(status)}
                             : Ending{.faults = WEXITSTATUS(status)};
}

// Stores that the processor has yet to make visible: the lines are another processor's.
class FullStoreBuffer {
 public:
  void fill() {
    for (Line& line : lines_) line.value.store(1, std::memory_order_relaxed);
  }

 private:
  struct alignas(platform::kCacheLine) Line {
    std::atomic<int> value{0};
  };
  std::array<Line, 48> lines_;
};

// Two threads that meet at one lock after the other. `owner(i)` and `other(i)` run at once for lock
// i; `prepare(i)` has run in the owner's thread, before the filter.
struct Meetings {
  int count = 0;
  int error = 0;
  FilterFor whom = FilterFor::kAllThreads;
};

template <class Prepare, class Owner, class Other>
void meet(const Meetings& meetings, const Prepare& prepare, const Owner& owner,
          const Other& other) {
  std::atomic<int> owner_at{-1};
  std::atomic<int> other_at{-1};
  const auto arrive = [](std::atomic<int>& mine, const std::atomic<int>& theirs, int i) {
    mine.store(i);
    while (theirs.load() < i) platform::yield();
  };
  std::thread first([&] {
    for (int i = 0; i < meetings.count; ++i) prepare(i);
    arrive(owner_at, other_at, 0);
    for (int i = 0; i < meetings.count; ++i) {
      arrive(owner_at, other_at, i + 1);
      owner(i);
    }
  });
  while (owner_at.load() < 0) platform::yield();
  if (!forbid({SYS_membarrier}, meetings.error, meetings.whom)) _exit(kCannotRun);
  arrive(other_at, owner_at, 0);
  for (int i = 0; i < meetings.count; ++i) {
    arrive(other_at, owner_at, i + 1);
    other(i);
  }
  first.join();
}

struct Case {
  int error;
  FilterFor whom;
};

class ForbiddenMembarrier : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!platform::has_heavy_barrier()) GTEST_SKIP() << "this kernel has no membarrier";
  }

  Meetings meetings(int count) const { return {count, GetParam().error, GetParam().whom}; }

  static void expect_no_fault(const Ending& ending) {
    if (ending.faults == kCannotRun) GTEST_SKIP() << "seccomp filters cannot be installed here";
    EXPECT_EQ(ending.signal, 0);
    EXPECT_EQ(ending.faults, 0);
  }
};
INSTANTIATE_TEST_SUITE_P(Of, ForbiddenMembarrier,
                         testing::Values(Case{EPERM, FilterFor::kAllThreads},
                                         Case{ENOSYS, FilterFor::kAllThreads},
                                         Case{EPERM, FilterFor::kThisThread},
                                         Case{ENOSYS, FilterFor::kThisThread}));

// The work of two threads under a lock that excludes: never are both inside.
class Exclusive {
 public:
  void visit() {
    if (inside_.fetch_add(1) != 0) faults_.fetch_add(1);
    for (int i = 0; i < 20; ++i) platform::pause();
    inside_.fetch_sub(1);
  }
  int faults() const { return faults_.load(); }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> faults_{0};
};

TEST_P(ForbiddenMembarrier, ABiasedLockStillExcludes) {
  expect_no_fault(in_a_child([this] {
    constexpr int kLocks = 300;
    const auto locks = std::make_unique<BiasedRecursiveMutex<AdaptiveMutex>[]>(kLocks);
    const auto visited = std::make_unique<std::atomic<bool>[]>(kLocks);
    FullStoreBuffer stores;
    Exclusive room;
    meet(
        meetings(kLocks),
        [&](int i) {
          for (int n = 0; n < 32; ++n) {
            locks[i].lock();
            locks[i].unlock();
          }
        },
        [&](int i) {
          while (!visited[i].load(std::memory_order_relaxed)) {
            stores.fill();
            locks[i].lock();
            room.visit();
            stores.fill();
            locks[i].unlock();
          }
        },
        [&](int i) {
          stores.fill();
          for (int n = 0; n < i % 64; ++n) platform::pause();
          locks[i].lock();
          room.visit();
          locks[i].unlock();
          visited[i].store(true);
        });
    return room.faults();
  }));
}

// The owner holds the lock when the other comes, and releases it once: whoever loses that hangs.
template <class LockOf>
void release_once(const Meetings& meetings, const LockOf& lock_of) {
  FullStoreBuffer stores;
  std::atomic<int> held{-1};
  meet(
      meetings,
      [&](int i) {
        auto&& lock = lock_of(i);
        lock.lock();
        lock.unlock();
      },
      [&](int i) {
        auto&& lock = lock_of(i);
        lock.lock();
        held.store(i);
        for (int n = 0; n < i % 200; ++n) platform::pause();
        stores.fill();
        lock.unlock();
      },
      [&](int i) {
        while (held.load() < i) platform::pause();
        stores.fill();
        auto&& lock = lock_of(i);
        lock.lock();
        lock.unlock();
      });
}

TEST_P(ForbiddenMembarrier, AWaiterForAKeyIsWoken) {
  expect_no_fault(in_a_child([this] {
    KeyedMutex<> locks(1 << 14);
    release_once(meetings(300), [&](int i) { return locks.handle(static_cast<std::uint64_t>(i)); });
    return 0;
  }));
}

TEST_P(ForbiddenMembarrier, AWaiterForALeaseIsWoken) {
  expect_no_fault(in_a_child([this] {
    constexpr int kShards = 300;
    LeasePool pool(kShards, 1);
    release_once(meetings(kShards),
                 [&](int i) { return pool.handle(static_cast<std::uint64_t>(i)); });
    return 0;
  }));
}

TEST_P(ForbiddenMembarrier, AWaiterForAnAdaptiveLockIsWoken) {
  expect_no_fault(in_a_child([this] {
    constexpr int kLocks = 300;  // several in each bucket of the parking lot
    const auto locks = std::make_unique<AdaptiveMutex[]>(kLocks);
    release_once(meetings(kLocks), [&](int i) -> AdaptiveMutex& { return locks[i]; });
    return 0;
  }));
}

// Neither is available: it reports that and does not continue without.
TEST_P(ForbiddenMembarrier, WithoutAFallbackTheProcessEnds) {
  EXPECT_EXIT(
      {
        if (!forbid({SYS_membarrier, SYS_sched_setaffinity}, GetParam().error, GetParam().whom)) {
          std::fputs("membarrier cannot be forbidden here", stderr);
          std::abort();
        }
        platform::heavy_barrier();
      },
      testing::KilledBySignal(SIGABRT), "forbid");
}

TEST_P(ForbiddenMembarrier, ItIsNotReliedOnAnyMoreAndProcessorsStayAsTheyWere) {
  expect_no_fault(in_a_child([] {
    cpu_set_t before;
    cpu_set_t after;
    sched_getaffinity(0, sizeof before, &before);
    if (!forbid({SYS_membarrier}, GetParam().error, GetParam().whom)) return kCannotRun;
    errno = EILSEQ;
    platform::heavy_barrier();
    const bool errno_kept = errno == EILSEQ;
    sched_getaffinity(0, sizeof after, &after);
    return (errno_kept ? 0 : 1) + (platform::has_heavy_barrier() ? 2 : 0) +
           (CPU_EQUAL(&before, &after) ? 0 : 4);
  }));
}

}  // namespace
}  // namespace lockbench
