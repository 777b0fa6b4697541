// SPDX-License-Identifier: Apache-2.0

// Locks that know nothing of lockbench::platform, built for simulation all the same: what the
// compiler instruments, and calls of the system's library, reach the engine. Each broken one
// differs from a correct one by its fault alone.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <future>
#include <iterator>
#include <linux/futex.h>
#include <list>
#include <lockbench/plugin.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <shared_mutex>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

// Tries until it has the lock.
template <class Lock>
class Spins {
 public:
  void lock() {
    while (!static_cast<Lock*>(this)->try_lock()) sched_yield();
  }
};

enum class Fault { kNone, kTwoSteps, kRelaxedUnlock };

template <Fault kFault>
class FlagLock : public Spins<FlagLock<kFault>> {
 public:
  bool try_lock() {
    if constexpr (kFault == Fault::kTwoSteps) {
      if (held_.load(std::memory_order_acquire)) return false;
      held_.store(true, std::memory_order_relaxed);
      return true;
    }
    return !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() {
    held_.store(false, kFault == Fault::kRelaxedUnlock ? std::memory_order_relaxed
                                                       : std::memory_order_release);
  }

 private:
  std::atomic<bool> held_{false};
};

// Waiters wait at a local variable. Its function returns as soon as the lock was handed over: a
// release that touches the node after that writes into another frame.
template <bool kTouchesLate>
class LocalNodeLock {
 public:
  void lock() {
    Node own;
    {
      std::scoped_lock guard(mutex_);
      if (!held_) {
        held_ = true;
        // Nobody reads it. The store may lie in a buffer when this function returns.
        own.noted.store(1, std::memory_order_release);
        return;
      }
      (last_ == nullptr ? first_ : last_->next) = &own;
      last_ = &own;
    }
    while (!own.granted.load(std::memory_order_acquire)) sched_yield();
  }

  bool try_lock() {
    std::scoped_lock guard(mutex_);
    return !std::exchange(held_, true);
  }

  void unlock() {
    Node* next = nullptr;
    {
      std::scoped_lock guard(mutex_);
      next = first_;
      if (next == nullptr) {
        held_ = false;
        return;
      }
      first_ = next->next;
      if (first_ == nullptr) last_ = nullptr;
    }
    if (!kTouchesLate) next->noted.store(1, std::memory_order_relaxed);
    next->granted.store(true, std::memory_order_release);
    if (kTouchesLate) next->noted.store(1, std::memory_order_relaxed);
  }

 private:
  struct Node {
    std::atomic<bool> granted{false};
    std::atomic<unsigned> noted{0};
    Node* next = nullptr;
  };

  std::mutex mutex_;
  bool held_ = false;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

// A local variable that a frame of another function follows at the same address.
class LocalCountLock {
 public:
  void lock() {
    mutex_.lock();
    count();
    count();
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() {
    count();
    mutex_.unlock();
  }

 private:
  [[gnu::noinline]] static void count() {
    std::atomic<unsigned> steps[3] = {0, 0, 0};
    for (std::atomic<unsigned>& step : steps) step.store(1, std::memory_order_release);
  }

  std::mutex mutex_;
};

// An order that fences alone make.
template <bool kFences>
class FencedLock {
 public:
  void lock() {
    while (!try_lock()) {
    }
  }
  bool try_lock() {
    if (held_.exchange(true, std::memory_order_relaxed)) return false;
    if (kFences) std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }
  void unlock() {
    if (kFences) std::atomic_thread_fence(std::memory_order_release);
    held_.store(false, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> held_{false};
};

// Makes its word at the first call. Without a release, nothing orders the word's first value before
// its use by another thread.
template <bool kReleases>
class LazyLock : public Spins<LazyLock<kReleases>> {
 public:
  LazyLock() = default;
  LazyLock(const LazyLock&) = delete;
  LazyLock& operator=(const LazyLock&) = delete;
  ~LazyLock() { delete made_.load(std::memory_order_relaxed); }

  bool try_lock() { return !word().exchange(true, std::memory_order_acquire); }
  void unlock() { word().store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& word() {
    std::atomic<bool>* made = made_.load(std::memory_order_acquire);
    if (made != nullptr) return *made;
    auto* const mine = new std::atomic<bool>(false);
    constexpr auto kOrder = kReleases ? std::memory_order_acq_rel : std::memory_order_acquire;
    if (made_.compare_exchange_strong(made, mine, kOrder, std::memory_order_acquire)) return *mine;
    delete mine;
    return *made;
  }

  std::atomic<std::atomic<bool>*> made_{nullptr};
};

// Waits with a standard mutex and condition variable.
template <bool kNotifies>
class WaitingLock {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    free_.wait(guard, [&] { return !held_; });
    held_ = true;
  }
  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    const std::scoped_lock guard(mutex_);
    held_ = false;
    if (kNotifies) free_.notify_one();
  }

 protected:
  std::mutex mutex_;
  std::condition_variable free_;
  bool held_ = false;
};

// A thread waits in a node of its own.
class ThreadNodeLock {
 public:
  // A thread has one node, for one lock at a time.
  static constexpr lockbench::LockPromises kPromises{.limits = {.keys_of_thread = 1}};

  void lock() {
    Node& mine = node();
    mine.waits.store(true, std::memory_order_relaxed);
    mine.next.store(nullptr, std::memory_order_relaxed);
    Node* const before = last_.exchange(&mine, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&mine, std::memory_order_release);
    while (mine.waits.load(std::memory_order_acquire)) sched_yield();
  }
  bool try_lock() {
    Node& mine = node();
    mine.next.store(nullptr, std::memory_order_relaxed);
    Node* expected = nullptr;
    return last_.compare_exchange_strong(expected, &mine, std::memory_order_acq_rel);
  }
  void unlock() {
    Node* self = &node();
    Node* next = self->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      Node* expected = self;
      if (last_.compare_exchange_strong(expected, nullptr, std::memory_order_release)) return;
      while ((next = self->next.load(std::memory_order_acquire)) == nullptr) sched_yield();
    }
    next->waits.store(false, std::memory_order_release);
  }

 private:
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
  };
  static Node& node() {
    static thread_local Node own;
    return own;
  }
  std::atomic<Node*> last_{nullptr};
};

// Nothing but what the library offers, of which the lock is simulated with.
struct SharedMutexLock : private std::shared_mutex {
  using std::shared_mutex::lock;
  using std::shared_mutex::try_lock;
  using std::shared_mutex::unlock;
};

// A signal ends a wait by EINTR: the wait begins again, or its end is taken for something else.
enum Interrupted { kWaitsAgain, kGranted, kTimedOut };

timespec after(std::chrono::nanoseconds timeout, clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  const std::chrono::nanoseconds until =
      std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec) + timeout;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(until);
  return {.tv_sec = seconds.count(), .tv_nsec = (until - seconds).count()};
}

// Its waits are ended by a signal, or by the wall clock.
template <Interrupted kInterrupted, clockid_t kDeadline = CLOCK_REALTIME>
class Semaphore {
 public:
  Semaphore() { sem_init(&free_, 0, 1); }
  ~Semaphore() { sem_destroy(&free_); }
  void lock() {
    while (sem_wait(&free_) != 0 && kInterrupted != kGranted) {
    }
  }
  bool try_lock() { return sem_trywait(&free_) == 0; }
  bool try_lock_for(std::chrono::nanoseconds timeout) {
    const timespec until = after(timeout, kDeadline);
    while (sem_timedwait(&free_, &until) != 0) {
      if (errno == ETIMEDOUT || kInterrupted == kTimedOut) return false;
    }
    return true;
  }
  void unlock() { sem_post(&free_); }

 private:
  sem_t free_;
};

// Counts its requests where nothing orders them.
class CountingSemaphore : public Semaphore<kWaitsAgain> {
 public:
  void lock() {
    ++requests_;
    Semaphore::lock();
  }

 private:
  unsigned requests_ = 0;
};

long futex(std::atomic<int>& word, int operation, long value, const void* time = nullptr,
           std::atomic<int>* other = nullptr, long last = 0) {
  return syscall(SYS_futex, &word, operation, value, time, other, last);
}

// 0 free | 1 held | 2 held, and threads may sleep. The kernel looks for sleepers of a private call
// and of another one under different keys.
template <Interrupted kInterrupted, int kWakes = FUTEX_WAKE_PRIVATE>
class Word {
 public:
  void lock() { wait_until(nullptr); }
  bool try_lock() {
    int free = 0;
    return word_.compare_exchange_strong(free, 1);
  }
  bool try_lock_for(std::chrono::nanoseconds timeout) {
    const timespec until = after(timeout, CLOCK_MONOTONIC);
    return wait_until(&until);
  }
  void unlock() {
    if (word_.exchange(0) == 2) futex(word_, kWakes, 1);
  }

 private:
  bool wait_until(const timespec* until) {
    if (try_lock()) return true;
    const int wait = until == nullptr ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT_BITSET_PRIVATE;
    while (word_.exchange(2) != 0) {
      if (futex(word_, wait, 2, until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0) continue;
      if (errno == ETIMEDOUT) return false;
      if (errno == EINTR && kInterrupted == kTimedOut && until != nullptr) return false;
      if (errno == EINTR && kInterrupted == kGranted) return true;
    }
    return true;
  }

  std::atomic<int> word_{0};
};

// The clock that gives the deadline, and the one that ends the wait.
template <clockid_t kDeadline, clockid_t kWait>
class ClockedCondition {
 public:
  ClockedCondition() {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, kWait);
    pthread_cond_init(&freed_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  ~ClockedCondition() { pthread_cond_destroy(&freed_); }
  void lock() {
    const std::lock_guard guard(mutex_);
    while (held_) pthread_cond_wait(&freed_, mutex_.native_handle());
    held_ = true;
  }
  bool try_lock() {
    const std::lock_guard guard(mutex_);
    return !std::exchange(held_, true);
  }
  bool try_lock_for(std::chrono::nanoseconds timeout) {
    const timespec until = after(timeout, kDeadline);
    const std::lock_guard guard(mutex_);
    while (held_) {
      if (pthread_cond_timedwait(&freed_, mutex_.native_handle(), &until) == ETIMEDOUT) break;
    }
    return !std::exchange(held_, true);
  }
  void unlock() {
    const std::lock_guard guard(mutex_);
    held_ = false;
    pthread_cond_signal(&freed_);
  }

 private:
  std::mutex mutex_;
  pthread_cond_t freed_;
  bool held_ = false;
};

// As in C before it had atomics: an int, or a volatile one, whose order is the processor's. It is
// released by a store, which x86 forgives, by a store behind a fence, or by the builtin.
enum Release { kStore, kFencedStore, kBuiltin };

template <class Word, Release kRelease>
class IntLock : public Spins<IntLock<Word, kRelease>> {
 public:
  bool try_lock() { return __sync_lock_test_and_set(&held_, 1) == 0; }
  void unlock() {
    if constexpr (kRelease == kBuiltin) return __sync_lock_release(&held_);
    if constexpr (kRelease == kFencedStore) __sync_synchronize();
    held_ = 0;
  }

 private:
  Word held_ = 0;
};

// Waiters read a volatile number until it is their turn.
template <bool kFenced>
class VolatileTicket {
 public:
  void lock() {
    const unsigned mine = __sync_fetch_and_add(&next_, 1);
    while (served_ != mine) sched_yield();
    if (kFenced) __sync_synchronize();
  }
  bool try_lock() {
    const unsigned mine = served_;
    if (!__sync_bool_compare_and_swap(&next_, mine, mine + 1)) return false;
    if (kFenced) __sync_synchronize();
    return true;
  }
  void unlock() {
    if (kFenced) __sync_synchronize();
    served_ = served_ + 1;
  }

 private:
  volatile unsigned next_ = 0;
  volatile unsigned served_ = 0;
};

// A thread of its own wakes who sleeps.
class HelperLock : public WaitingLock<false> {
 public:
  HelperLock() : helper_([this] { help(); }) {}
  ~HelperLock() {
    {
      const std::scoped_lock guard(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    helper_.join();
  }
  void unlock() {
    const std::scoped_lock guard(mutex_);
    held_ = false;
    told_ = true;
    changed_.notify_all();
  }

 private:
  void help() {
    std::unique_lock guard(mutex_);
    while (!ends_) {
      changed_.wait(guard, [&] { return told_ || ends_; });
      told_ = false;
      free_.notify_one();
    }
  }

  std::condition_variable changed_;
  bool told_ = false;
  bool ends_ = false;
  std::thread helper_;
};

// The call of a pipe's reader: poll() or read(), which no simulation decides; or read() by an
// address that the plug-in looked up, so that no simulation is asked.
enum class Reads { kPolls, kReads, kUnseen };

// A byte in a pipe is the lock.
template <Reads kReads>
class PipeLock {
 public:
  PipeLock() {
    if (pipe(ends_) == 0) unlock();
  }
  ~PipeLock() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void lock() {
    pollfd wanted{.fd = ends_[0], .events = POLLIN, .revents = 0};
    if (kReads == Reads::kPolls) poll(&wanted, 1, -1);
    char byte = 0;
    using Read = ssize_t (*)(int, void*, size_t);
    const Read unseen = reinterpret_cast<Read>(dlsym(RTLD_DEFAULT, "read"));
    const auto take = [&] {
      return kReads == Reads::kUnseen ? unseen(ends_[0], &byte, 1) : read(ends_[0], &byte, 1);
    };
    while (take() != 1) {
    }
  }
  bool try_lock() {
    int bytes = 0;
    if (ioctl(ends_[0], FIONREAD, &bytes) != 0 || bytes == 0) return false;
    lock();
    return true;
  }
  void unlock() {
    const char byte = 0;
    while (write(ends_[1], &byte, 1) != 1) {
    }
  }

 private:
  int ends_[2];
};

// A variable with static storage, pthread_once() and a key of each thread: made again in each
// execution, and by one thread.
class OnceLock : public Spins<OnceLock> {
 public:
  bool try_lock() {
    static const int* const made = new int(1);
    pthread_once(&once, [] {
      key = new pthread_key_t;
      pthread_key_create(key, [](void* value) { delete static_cast<int*>(value); });
    });
    if (pthread_getspecific(*key) == nullptr) pthread_setspecific(*key, new int(*made));
    return !held_.exchange(*static_cast<int*>(pthread_getspecific(*key)) == 1);
  }
  void unlock() { held_.store(false); }

 private:
  inline static pthread_once_t once = PTHREAD_ONCE_INIT;
  inline static pthread_key_t* key = nullptr;
  std::atomic<bool> held_{false};
};

// Each request waits for the future that the one before it left.
class FutureLock {
 public:
  FutureLock() {
    std::promise<void> first;
    last_ = first.get_future().share();
    first.set_value();
  }

  void lock() {
    std::promise<void> own;
    std::shared_future<void> before;
    {
      const std::scoped_lock guard(mutex_);
      before = std::exchange(last_, own.get_future().share());
    }
    before.wait();
    held_ = std::move(own);
  }

  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    if (last_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    std::promise<void> own;
    last_ = own.get_future().share();
    held_ = std::move(own);
    return true;
  }

  void unlock() {
    std::promise<void> own = std::move(held_);
    own.set_value();
  }

 private:
  std::mutex mutex_;
  std::shared_future<void> last_;  // under mutex_
  std::promise<void> held_;        // of the holder
};

// The lock reads after a barrier what a thread of its own wrote before it.
class BarrierLock : public Spins<BarrierLock> {
 public:
  BarrierLock() {
    pthread_barrier_init(&met_, nullptr, 2);
    std::thread other([this] {
      written_ = 1;
      pthread_barrier_wait(&met_);
    });
    pthread_barrier_wait(&met_);
    if (written_ != 1) throw std::logic_error("passed before the other came");
    other.join();
    pthread_barrier_destroy(&met_);
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  pthread_barrier_t met_;
  int written_ = 0;
  std::atomic<bool> held_{false};
};

// A mutex that checks for errors refuses what it must; also one that is robust, inherits priorities
// and is for several processes.
template <bool kHasAll>
class CheckedMutexLock {
 public:
  CheckedMutexLock() {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    if (kHasAll) {
      pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
      pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
      pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    }
    pthread_mutex_init(&mutex_, &kind);
    pthread_mutexattr_destroy(&kind);
  }
  ~CheckedMutexLock() { pthread_mutex_destroy(&mutex_); }
  void lock() {
    pthread_mutex_lock(&mutex_);
    if (pthread_mutex_lock(&mutex_) != EDEADLK) throw std::logic_error("locked twice");
  }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

// A ticket lock whose two numbers are halves of one word.
class HalvesLock {
 public:
  void lock() {
    const std::uint32_t mine = __atomic_fetch_add(&word_.both, 1U << 16, __ATOMIC_RELAXED) >> 16;
    while (__atomic_load_n(&word_.half[0], __ATOMIC_ACQUIRE) != mine) sched_yield();
  }
  bool try_lock() {
    std::uint32_t seen = __atomic_load_n(&word_.both, __ATOMIC_RELAXED);
    if (seen >> 16 != (seen & 0xffff)) return false;
    return __atomic_compare_exchange_n(&word_.both, &seen, seen + (1U << 16), false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  void unlock() {
    const auto served = static_cast<std::uint16_t>(word_.half[0] + 1);
    __atomic_store_n(&word_.half[0], served, __ATOMIC_RELEASE);
  }

 private:
  union {
    std::uint32_t both;
    std::uint16_t half[2];  // served, and drawn
  } word_{.both = 0};
};

// Who waits does so in one of two queues; one of each is woken, and who wakes counts them.
class ChannelLock {
 public:
  void lock() {
    const int channel = 1 + (next_.fetch_add(1) & 1);
    while (!try_lock()) futex(held_, FUTEX_WAIT_BITSET, 1, nullptr, nullptr, channel);
  }
  bool try_lock() { return held_.exchange(1) == 0; }
  void unlock() {
    held_.store(0);
    if (futex(held_, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, 1) == 0) {
      futex(held_, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, 2);
    }
  }

 private:
  std::atomic<int> held_{0};
  std::atomic<int> next_{0};
};

// Who waits sleeps on one word; unlock() wakes the first and moves the others to another one, on
// which the last of them is woken.
class RequeueLock {
 public:
  void lock() {
    while (!try_lock()) {
      waiting_.fetch_add(1);
      futex(held_, FUTEX_WAIT, 1);
      waiting_.fetch_sub(1);
    }
  }
  bool try_lock() { return held_.exchange(1) == 0; }
  void unlock() {
    held_.store(0);
    if (waiting_.load() == 0) return;
    if (futex(held_, FUTEX_CMP_REQUEUE, 0, reinterpret_cast<void*>(1L), &moved_, 0) < 0) {
      futex(held_, FUTEX_WAKE, 1);  // somebody holds it again
    }
    futex(moved_, FUTEX_WAKE, 1);
  }

 private:
  std::atomic<int> held_{0};
  std::atomic<int> moved_{0};
  std::atomic<int> waiting_{0};
};

// A queue behind a guard. A thread that finds the guard taken sleeps for a short time, and is not
// in the queue yet; one in the queue does the same until it is served.
template <bool kLastFirst>
class NappingLock {
 public:
  static constexpr lockbench::LockPromises kPromises{
      .fair = true, .programs = "L0 R9000000 U | R1000000 L0 U | R2000000 L0 U"};

  void lock() {
    enter();
    if (!std::exchange(held_, true)) return leave();
    std::atomic<bool> served{false};
    queue_.push_back(&served);
    leave();
    while (!served.load(std::memory_order_acquire)) nap();
  }
  bool try_lock() {
    enter();
    const bool had = std::exchange(held_, true);
    leave();
    return !had;
  }
  void unlock() {
    enter();
    held_ = !queue_.empty();
    if (held_) {
      const auto next = kLastFirst ? std::prev(queue_.end()) : queue_.begin();
      std::atomic<bool>* const served = *next;
      queue_.erase(next);
      served->store(true, std::memory_order_release);
    }
    leave();
  }

 private:
  static void nap() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }
  void enter() {
    while (guard_.exchange(true, std::memory_order_acquire)) nap();
  }
  void leave() { guard_.store(false, std::memory_order_release); }

  std::atomic<bool> guard_{false};
  bool held_ = false;
  std::list<std::atomic<bool>*> queue_;
};

// Each thread draws a number, and waits until it is served. One whose exchange failed, though only
// spuriously, has no number yet.
template <bool kInOrder>
class DrawnLock {
 public:
  static constexpr lockbench::LockPromises kPromises{.fair = true};

  void lock() {
    int mine = drawn_.load();
    while (!drawn_.compare_exchange_weak(mine, mine + 1)) {
    }
    if (kInOrder) {
      while (served_.load() != mine) sched_yield();
    } else {
      while (held_.exchange(true)) sched_yield();
    }
  }
  bool try_lock() {
    if (!kInOrder) return !held_.exchange(true);
    int served = served_.load();
    return drawn_.compare_exchange_strong(served, served + 1);
  }
  void unlock() { kInOrder ? void(served_.fetch_add(1)) : held_.store(false); }

 private:
  std::atomic<int> drawn_{0};
  std::atomic<int> served_{0};
  std::atomic<bool> held_{false};
};

// A flag that lies in an object of whoever holds. One that is refused need not keep its object.
template <bool kFrees>
class ObjectLock : public Spins<ObjectLock<kFrees>> {
 public:
  bool try_lock() {
    int* const mine = new int(0);
    int* nobody = nullptr;
    if (holder_.compare_exchange_strong(nobody, mine)) return true;
    if (kFrees) delete mine;
    return false;
  }
  void unlock() { delete holder_.exchange(nullptr); }

 private:
  std::atomic<int*> holder_{nullptr};
};

// Numbers are served in order. The broken one lets its last holder have it again without a number.
template <bool kReturns>
class ServedLock {
 public:
  static constexpr lockbench::LockPromises kPromises{.fair = true};

  void lock() {
    if (kReturns && last_.load() == std::this_thread::get_id() && try_lock()) return;
    const int mine = drawn_.fetch_add(1);
    while (served_.load() != mine) sched_yield();
    while (held_.exchange(true)) sched_yield();
    by_number_ = true;
    last_.store(std::this_thread::get_id());
  }
  bool try_lock() {
    if (held_.exchange(true)) return false;
    by_number_ = false;
    return true;
  }
  void unlock() {
    const bool by_number = by_number_;
    held_.store(false);
    if (by_number) served_.fetch_add(1);
  }

 private:
  std::atomic<std::thread::id> last_{};
  std::atomic<int> drawn_{0};
  std::atomic<int> served_{0};
  std::atomic<bool> held_{false};
  bool by_number_ = false;
};

// Numbers are served in order, and whoever holds it may have it again at once.
class NestedServedLock {
 public:
  static constexpr lockbench::LockPromises kPromises{.reentrant = true, .fair = true};

  void lock() {
    if (!owns()) {
      const int mine = drawn_.fetch_add(1);
      while (served_.load() != mine) sched_yield();
      owner_.store(std::this_thread::get_id());
    }
    ++depth_;
  }
  bool try_lock() {
    int served = served_.load();
    if (!owns() && !drawn_.compare_exchange_strong(served, served + 1)) return false;
    owner_.store(std::this_thread::get_id());
    ++depth_;
    return true;
  }
  void unlock() {
    if (--depth_ != 0) return;
    owner_.store({});
    served_.fetch_add(1);
  }

 private:
  bool owns() const { return owner_.load() == std::this_thread::get_id(); }

  std::atomic<std::thread::id> owner_{};
  std::atomic<int> drawn_{0};
  std::atomic<int> served_{0};
  int depth_ = 0;
};

// Knows its owner, and lets nobody else unlock it. The broken one forgets to forget its last owner,
// who may still unlock it while the next one has it but has not said so.
template <bool kForgets>
class OwnedLock : public Spins<OwnedLock<kForgets>> {
 public:
  static constexpr lockbench::LockPromises kPromises{.refuses_non_owners = true};

  bool try_lock() {
    if (held_.exchange(true)) return false;
    owner_.store(std::this_thread::get_id());
    return true;
  }
  void unlock() {
    if (owner_.load() != std::this_thread::get_id()) return;
    if (kForgets) owner_.store({});
    held_.store(false);
  }

 private:
  std::atomic<bool> held_{false};
  std::atomic<std::thread::id> owner_{};
};

using SharedFlag = std::shared_ptr<std::atomic<bool>>;

// The flag lies in an object that each release replaces by another one.
template <class Pointer>
class ReplacedFlagLock : public Spins<ReplacedFlagLock<Pointer>> {
 public:
  bool try_lock() {
    const SharedFlag flag = flag_;
    return !flag->exchange(true);
  }
  void unlock() { flag_ = std::make_shared<std::atomic<bool>>(false); }

 private:
  Pointer flag_ = std::make_shared<std::atomic<bool>>(false);
};

// A flag that its last holder may destroy.
class LeftLock : public Spins<LeftLock> {
 public:
  static constexpr bool kLastMayDestroy = true;

  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }

 protected:
  std::atomic<bool> held_{false};
};

// Its unlock() reads a plain member: before the release, or after it, when another thread may have
// freed it.
template <bool kReadsBefore>
class QuietLock : public LeftLock {
 public:
  void unlock() {
    bool quiet = kReadsBefore && quiet_;
    held_.store(false, std::memory_order_release);
    if (!kReadsBefore) quiet = quiet_;
    if (!quiet) sched_yield();
  }

 private:
  bool quiet_ = false;
};

// The same with bytes of its own that it compares by memcmp(), which no compiler instruments.
template <bool kComparesBefore>
class ComparingLock : public LeftLock {
 public:
  void unlock() {
    const std::size_t bytes = bytes_;
    bool same = kComparesBefore && std::memcmp(text_, kText, bytes) == 0;
    held_.store(false, std::memory_order_release);
    if (!kComparesBefore) same = std::memcmp(text_, kText, bytes) == 0;
    if (!same) sched_yield();
  }

 private:
  static constexpr char kText[] = "a text of some length";

  std::size_t bytes_ = sizeof kText;
  char text_[sizeof kText] = "a text of some length";
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<FlagLock<Fault::kNone>>("raw_flag", "a std::atomic<bool>");
  locks.add_alone<FlagLock<Fault::kTwoSteps>>("raw_flag_two_steps", "looks, then takes");
  locks.add_alone<FlagLock<Fault::kRelaxedUnlock>>("raw_flag_relaxed_unlock", "publishes nothing");
  locks.add_alone<LazyLock<true>>("raw_lazy_released", "makes its word at the first call");
  locks.add_alone<LazyLock<false>>("raw_lazy", "the same, and publishes it without a release");
  locks.add_alone<FencedLock<true>>("raw_fenced", "relaxed accesses, and fences");
  locks.add_alone<FencedLock<false>>("raw_unfenced", "relaxed accesses alone");
  locks.add_alone<WaitingLock<true>>("raw_condvar", "a standard condition variable");
  locks.add_alone<WaitingLock<false>>("raw_condvar_tells_nobody", "the same, never notified");
  locks.add_alone<ThreadNodeLock>("raw_thread_node", "a queue of nodes, one for each thread");
  locks.add_alone<SharedMutexLock>("raw_shared_mutex", "a standard shared mutex");
  locks.add_alone<Semaphore<kWaitsAgain>>("raw_semaphore", "waits again after a signal");
  locks.add_alone<Semaphore<kGranted>>("raw_semaphore_granted", "takes a signal for a grant");
  locks.add_alone<Semaphore<kTimedOut>>("raw_semaphore_timed_out",
                                        "takes a signal for its timeout");
  locks.add_alone<Word<kWaitsAgain>>("raw_word", "waits again after a signal");
  locks.add_alone<Word<kGranted>>("raw_word_granted", "takes a signal for a grant");
  locks.add_alone<Word<kTimedOut>>("raw_word_timed_out", "takes a signal for its timeout");
  locks.add_alone<Word<kWaitsAgain, FUTEX_WAKE>>("raw_wakes_others",
                                                 "wakes those of all processes alone");
  locks.add_alone<ClockedCondition<CLOCK_MONOTONIC, CLOCK_MONOTONIC>>("raw_clocked", "one clock");
  locks.add_alone<ClockedCondition<CLOCK_REALTIME, CLOCK_REALTIME>>("raw_clocked_wall",
                                                                    "one clock");
  locks.add_alone<ClockedCondition<CLOCK_MONOTONIC, CLOCK_REALTIME>>("raw_clocked_past",
                                                                     "its deadlines are long over");
  locks.add_alone<ClockedCondition<CLOCK_REALTIME, CLOCK_MONOTONIC>>("raw_clocked_never",
                                                                     "its deadlines do not come");
  locks.add_alone<ClockedCondition<CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC>>(
      "raw_clocked_coarse", "counts from the last tick");
  locks.add_alone<Semaphore<kWaitsAgain, CLOCK_MONOTONIC>>("raw_semaphore_past",
                                                           "its deadlines are long over");
  locks.add_alone<Semaphore<kWaitsAgain, CLOCK_REALTIME_COARSE>>("raw_semaphore_coarse",
                                                                 "counts from the last tick");
  locks.add_alone<CountingSemaphore>("raw_semaphore_counts_outside", "a count that nothing orders");
  locks.add_alone<IntLock<volatile int, kStore>>("raw_volatile", "a volatile int, as on x86");
  locks.add_alone<IntLock<volatile int, kFencedStore>>("raw_volatile_fenced",
                                                       "the same, behind a fence");
  locks.add_alone<VolatileTicket<false>>("raw_volatile_ticket", "as on x86");
  locks.add_alone<VolatileTicket<true>>("raw_volatile_ticket_fenced", "with fences");
  locks.add_alone<IntLock<int, kStore>>("raw_plain_release", "a plain store releases it");
  locks.add_alone<IntLock<int, kBuiltin>>("raw_builtin_release", "the builtin releases it");
  locks.add_alone<HelperLock>("raw_helper", "a thread of its own wakes who sleeps");
  locks.add_alone<PipeLock<Reads::kPolls>>("raw_poll", "a pipe that is polled");
  locks.add_alone<PipeLock<Reads::kReads>>("raw_read", "a pipe that is read");
  locks.add_alone<PipeLock<Reads::kUnseen>>("raw_pipe", "a pipe that is read, unseen");
  locks.add_alone<OnceLock>("raw_once", "made when it is first used, by each of three ways");
  locks.add_alone<FutureLock>("raw_future", "a chain of futures");
  locks.add_alone<BarrierLock>("raw_barrier", "its own thread meets it at a barrier");
  locks.add_alone<CheckedMutexLock<false>>("raw_errorcheck", "a mutex that knows its owner");
  locks.add_alone<CheckedMutexLock<true>>("raw_robust", "the same with more attributes");
  locks.add_alone<HalvesLock>("raw_halves", "two halves of a word, changed as one and one by one");
  locks.add_alone<ChannelLock>("raw_channels", "two futex queues on one word, told apart by bits");
  locks.add_alone<RequeueLock>("raw_requeue", "sleepers are moved from one futex to another");
  locks.add_alone<NappingLock<false>>("raw_napping", "a fair queue whose waiters sleep and look");
  locks.add_alone<NappingLock<true>>("raw_napping_last_first",
                                     "the same, and serves the last first");
  locks.add_alone<DrawnLock<true>>("raw_drawn", "numbers, drawn by an exchange that may fail");
  locks.add_alone<DrawnLock<false>>("raw_drawn_unserved",
                                    "the same, and whoever finds it free takes it");
  locks.add_alone<ServedLock<false>>("raw_served", "numbers that are served in order");
  locks.add_alone<ServedLock<true>>("raw_served_returns", "the same, but for the last holder");
  locks.add<NestedServedLock>("raw_served_nested", "the same, for its owner any number of times");
  locks.add_alone<OwnedLock<true>>("raw_owned", "a flag that its owner alone unlocks");
  locks.add_alone<OwnedLock<false>>("raw_owned_stays", "the same, and its last owner stays so");
  locks.add_alone<ObjectLock<true>>("raw_object", "an object for each try");
  locks.add_alone<ObjectLock<false>>("raw_object_kept",
                                     "the same, and keeps those of failed tries");
  locks.add_alone<ReplacedFlagLock<std::atomic<SharedFlag>>>("raw_replaced", "replaces its flag");
  locks.add_alone<ReplacedFlagLock<SharedFlag>>("raw_replaced_plain",
                                                "the same, by a plain pointer");
  locks.add_alone<QuietLock<true>>("raw_quiet", "reads a plain member, then releases");
  locks.add_alone<QuietLock<false>>("raw_quiet_late", "releases, then reads a plain member");
  locks.add_alone<LocalCountLock>("raw_local_counts", "stores to local variables");
  locks.add_alone<LocalNodeLock<false>>("raw_local_node", "waits at local variables");
  locks.add_alone<LocalNodeLock<true>>("raw_local_node_late", "touches them after the handover");
  locks.add_alone<ComparingLock<true>>("raw_comparing", "compares bytes, then releases");
  locks.add_alone<ComparingLock<false>>("raw_comparing_late", "releases, then compares bytes");
}
