// SPDX-License-Identifier: Apache-2.0

// Wrappers with which the engines check locks whose keys have several holders. The engines'
// programs use only exclusive holds and leases.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/wrapped_members.h"
#include "primitives/concepts.h"
#include "primitives/key.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench {

// One word for each key, unless more keys are used at once than there are words.
template <std::size_t kWords = 16>
class WordOfKey {
 public:
  platform::Atomic<std::uint64_t>& operator()(std::uint64_t key) { return words_[key % kWords]; }

 private:
  std::array<platform::Atomic<std::uint64_t>, kWords> words_{};
};

// Native threads may come as a crowd; a simulation has few threads, and makes the lock often.
#if defined(LOCKBENCH_SIMULATE)
inline constexpr std::size_t kMostReaders = 16;
#else
inline constexpr std::size_t kMostReaders = 512;
#endif

// GuardedRecord: a plain number for each of the first keys, which readers read and writers write.
// In an instrumented build, a hold that does not order these accesses is a data race.
class GuardedRecord {
 public:
#if defined(LOCKBENCH_SIMULATE)
  // Functions of their own, by whose names the engine knows what races.
  [[gnu::noinline]] void read(std::uint64_t key) const {
    if (key >= numbers_.size()) return;
    unsigned seen = numbers_[key];
    asm volatile("" : "+r"(seen));  // or the compiler leaves out the read
  }
  [[gnu::noinline]] void write(std::uint64_t key) {
    if (key < numbers_.size()) ++numbers_[key];
  }

 private:
  std::array<unsigned, 16> numbers_{};
#else
  static void read(std::uint64_t) {}
  static void write(std::uint64_t) {}
#endif
};

template <class Handle>
concept TimedSharedLockable = SharedLockable<Handle> &&
    requires(Handle& handle, std::chrono::nanoseconds timeout) {
  { handle.try_lock_for(timeout) } -> std::convertible_to<bool>;
  { handle.try_lock_shared_for(timeout) } -> std::convertible_to<bool>;
};

// ReadersFirst: each lock() acquires a shared hold, checks whether another thread is inside with an
// exclusive hold, and then acquires an exclusive hold itself. If another thread was inside, the
// lock is broken: the thread enters at once, so that two threads are inside, which every engine
// reports.
template <class P, Key K = std::uint64_t>
class ReadersFirst {
 public:
  using Wrapped = P;
  // Its own calls are those of readers. A hold is one thread's alone, so it has no number. Two keys
  // and stops have forms of their own.
  static constexpr Members kLeftOut = members::kEachSharedMember | members::kLease |
                                      members::kTwoKeys | members::kKeysTogether | members::kStops |
                                      members::kTimeouts;
  static constexpr bool kSmallKeys = stress::has_small_keys<P>();
  static constexpr bool kKeepsIdleKeys = stress::keeps_idle_keys<P>();
  static constexpr bool kLastMayDestroy = stress::last_may_destroy<P>();
  static constexpr auto kPromises = [] {
    auto promises = P::kPromises;
    promises.fair = false;  // a lock() waits twice
    if constexpr (requires { promises.bypass_limit; }) promises.bypass_limit = 0;
    promises.timed = promises.timed && TimedSharedLockable<HandleOf<P, K>>;
    return promises;
  }();

  class Handle {
   public:
    Handle(ReadersFirst& owner, K key)
        : record_(owner.record_),
          number_(number_of(key)),
          inside_(owner.inside_(number_)),
          handle_(owner.lock_.handle(key)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      handle_.lock_shared();
      if (looks_broken()) return;
      handle_.lock();
      enter();
    }

    bool try_lock() {
      if (!handle_.try_lock_shared()) return false;
      return looks_broken() || (handle_.try_lock() && enter());
    }

    template <class Timeout>
    bool try_lock_for(const Timeout& timeout) requires TimedSharedLockable<HandleOf<P, K>> {
      const platform::Time deadline = platform::now() + timeout;
      if (!handle_.try_lock_shared_for(timeout)) return false;
      return looks_broken() || (handle_.try_lock_for(deadline - platform::now()) && enter());
    }

    void unlock() {
      if (broken_) {
        broken_ = false;
        return;
      }
      record_.write(number_);
      inside_.store(0, std::memory_order_relaxed);
      handle_.unlock();
    }

    std::uint64_t token() const requires requires(const HandleOf<P, K>& handle) { handle.token(); }
    { return handle_.token(); }
    bool is_locked() const requires requires(const HandleOf<P, K>& handle) { handle.is_locked(); }
    { return handle_.is_locked(); }
    bool is_held_by_this_thread() const requires requires(const HandleOf<P, K>& handle) {
      handle.is_held_by_this_thread();
    }
    { return handle_.is_held_by_this_thread(); }

   private:
    // relaxed, here and below: the lock under test orders these.
    bool looks_broken() {
      broken_ = inside_.load(std::memory_order_relaxed) == mark();
      record_.read(number_);
      handle_.unlock_shared();
      return broken_;
    }
    bool enter() {
      inside_.store(mark(), std::memory_order_relaxed);
      record_.write(number_);
      return true;
    }

    static std::uint64_t number_of(std::uint64_t key) { return key; }
    static std::uint64_t number_of(std::string_view key) { return KeyHash{}(key); }

    // The mark of this number would be 0, as if nobody were inside. No program has it as a key:
    // each of the lowest and the highest numbers may be one.
    static constexpr std::uint64_t kNoKey = 0x5a17'c0de'0b5e'55ed;
    std::uint64_t mark() const { return number_ ^ kNoKey; }

    GuardedRecord& record_;
    const std::uint64_t number_;
    platform::Atomic<std::uint64_t>& inside_;
    HandleOf<P, K> handle_;
    bool broken_ = false;
  };

  template <class... Arguments>
  requires stress::kMadeFrom<P, Arguments...>
  explicit ReadersFirst(Arguments... arguments) : lock_(arguments...) {}

  Handle handle(K key) { return Handle(*this, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return lock_.lock_bytes(); }
  std::size_t keys_kept() const requires CountsKeys<P> { return lock_.keys_kept(); }

 private:
  P lock_;
  WordOfKey<> inside_;
  GuardedRecord record_;
};

// A lock of which one thread at a time may hold more than the readers beside it: the right to
// become a writer without letting another one in between. Names are those of boost::upgrade_mutex.
template <class L>
concept UpgradeLockable = SharedLockable<L> && requires(L& lock) {
  lock.lock_upgrade();
  lock.unlock_upgrade();
  lock.unlock_upgrade_and_lock();
};

// Upgraded: a lock whose writers come as readers who may become writers, and leave as readers, if
// the lock has unlock_and_lock_shared(). If another thread writes meanwhile, it was inside beside
// a reader. Every second writer first gives the right to become one up again. A try is the lock's
// own, because one that waits for readers is none.
template <UpgradeLockable L>
class Upgraded {
 public:
  static constexpr Promises kPromises{};

  void lock() {
    // relaxed, here and below: the lock under test orders these.
    if (writes_.load(std::memory_order_relaxed) % 2 != 0) {
      base_.lock_upgrade();
      base_.unlock_upgrade();
    }
    base_.lock_upgrade();
    const std::uint64_t before = writes_.load(std::memory_order_relaxed);
    base_.unlock_upgrade_and_lock();
    expect_no_writes_since(before);
    if (was_passed_.load(std::memory_order_relaxed)) throw stress::ReaderBesideWriter();
  }
  bool try_lock() { return base_.try_lock(); }
  void unlock() {
    const std::uint64_t after = writes_.fetch_add(1, std::memory_order_relaxed) + 1;
    if constexpr (requires { base_.unlock_and_lock_shared(); }) {
      base_.unlock_and_lock_shared();
      expect_no_writes_since(after);
      base_.unlock_shared();
    } else {
      base_.unlock();
    }
  }

  void lock_shared() { base_.lock_shared(); }
  bool try_lock_shared() { return base_.try_lock_shared(); }
  void unlock_shared() { base_.unlock_shared(); }

 private:
  // unlock() may not throw, so the next lock() does.
  void expect_no_writes_since(std::uint64_t moment) {
    if (writes_.load(std::memory_order_relaxed) == moment) return;
    was_passed_.store(true, std::memory_order_relaxed);
  }

  L base_;
  platform::Atomic<std::uint64_t> writes_{0};
  platform::Atomic<bool> was_passed_{false};
};

// ReadersApart: key 0 is held alone, and every other key is held by one reader, so threads may only
// read, and readers may stay. A thread that requests the key of a reader that is inside acquires
// the lock alone, as a writer does, so that a key has one holder at a time.
template <class P>
class ReadersApart {
  using Inner = HandleOf<P>;
  static constexpr bool kTimedWriters = requires(Inner & handle, std::chrono::nanoseconds timeout) {
    handle.try_lock_for(timeout);
  };
  static constexpr bool kTimedReaders = requires(Inner & handle, std::chrono::nanoseconds timeout) {
    handle.try_lock_shared_for(timeout);
  };

 public:
  using Wrapped = P;
  // All its keys are one key of the lock: a hold of another key answers is_locked(), and readers
  // that are inside together may have one token. Its own calls are those of readers; two keys and
  // stops have forms of their own.
  static constexpr Members kLeftOut =
      members::kEachSharedMember | members::kLease | members::kToken | members::kIsLocked |
      members::kIsHeldByThisThread | members::kTwoKeys | members::kKeysTogether | members::kStops |
      members::kKeysAreSmall | members::kMayBeDestroyed;
  static constexpr bool kKeepsIdleKeys = stress::keeps_idle_keys<P>();
  static constexpr bool kKeysRead = true;
  static constexpr auto kPromises = [] {
    auto promises = P::kPromises;
    promises.lock_per_key = false;
    promises.reentrant = false;
    promises.refuses_non_owners = false;
    promises.timed = kTimedWriters || kTimedReaders;
    // A program of its author may hold two keys, which are one lock here.
    if constexpr (requires { promises.programs; }) promises.programs = {};
    return promises;
  }();

  class Handle {
   public:
    Handle(ReadersApart& owner, std::uint64_t key)
        : owner_(owner), key_(key), handle_(owner.lock_.handle(0)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      if (reads()) {
        handle_.lock_shared();
      } else {
        handle_.lock();
      }
      enter();
    }

    bool try_lock() {
      return reads() ? enter_if(handle_.try_lock_shared()) : enter_if(try_alone());
    }

    bool try_lock_for(std::chrono::nanoseconds timeout) requires(kTimedWriters || kTimedReaders) {
      return enter_if(reads() ? try_shared_for(timeout) : try_alone_for(timeout));
    }

    void unlock() {
      // relaxed: the lock under test orders what these show.
      if (!reads_) {
        owner_.record_.write(0);
        owner_.writers_.fetch_sub(1, std::memory_order_relaxed);
        handle_.unlock();
        return;
      }
      owner_.record_.read(0);
      owner_.readers_.fetch_sub(1, std::memory_order_relaxed);
      give_back();
      handle_.unlock_shared();
    }

   private:
    // True if this thread is the reader of its key. acquire, release: nothing else orders two
    // readers that follow each other.
    bool reads() {
      return reads_ = key_ != 0 && owner_.taken_(key_).exchange(1, std::memory_order_acquire) == 0;
    }
    void give_back() { owner_.taken_(key_).store(0, std::memory_order_release); }

    bool try_alone() { return handle_.try_lock(); }
    bool try_alone_for(std::chrono::nanoseconds timeout) {
      if constexpr (kTimedWriters) {
        return handle_.try_lock_for(timeout);
      } else {
        return poll(timeout, [this] { return handle_.try_lock(); });
      }
    }
    bool try_shared_for(std::chrono::nanoseconds timeout) {
      if constexpr (kTimedReaders) {
        return handle_.try_lock_shared_for(timeout);
      } else {
        return poll(timeout, [this] { return handle_.try_lock_shared(); });
      }
    }
    static constexpr std::chrono::microseconds kBetweenTries{100};

    // For the side without timeouts.
    template <class Try>
    static bool poll(std::chrono::nanoseconds timeout, const Try& tries) {
      const platform::Time deadline = platform::now() + timeout;
      while (!tries()) {
        if (platform::now() >= deadline) return false;
        platform::sleep_until(std::min<platform::Time>(deadline, platform::now() + kBetweenTries));
      }
      return true;
    }

    bool enter_if(bool acquired) {
      if (acquired) {
        enter();
      } else if (reads_) {
        give_back();
      }
      return acquired;
    }

    // relaxed: whatever was inside before this hold happens before it, so its end is seen.
    void enter() {
      if (reads_) {
        owner_.readers_.fetch_add(1, std::memory_order_relaxed);
        if (owner_.writers_.load(std::memory_order_relaxed) != 0)
          throw stress::ReaderBesideWriter();
        owner_.record_.read(0);
        return;
      }
      const bool alone = owner_.writers_.fetch_add(1, std::memory_order_relaxed) == 0;
      if (!alone || owner_.readers_.load(std::memory_order_relaxed) != 0) {
        throw stress::ReaderBesideWriter();
      }
      owner_.record_.write(0);
    }

    ReadersApart& owner_;
    const std::uint64_t key_;
    Inner handle_;
    bool reads_ = false;
  };

  template <class... Arguments>
  requires stress::kMadeFrom<P, Arguments...>
  explicit ReadersApart(Arguments... arguments) : lock_(arguments...) {}

  Handle handle(std::uint64_t key) { return Handle(*this, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return lock_.lock_bytes(); }
  std::size_t keys_kept() const requires CountsKeys<P> { return lock_.keys_kept(); }

 private:
  P lock_;
  WordOfKey<kMostReaders> taken_;
  platform::Atomic<std::uint32_t> readers_{0};
  platform::Atomic<std::uint32_t> writers_{0};
  GuardedRecord record_;
};

// NumberedPermits: a semaphore whose holders have numbers of their own, as the holders of leases
// have. If there are more holders than permits, two holders have the same number, which every
// engine reports.
template <class P>
class NumberedPermits {
 public:
  using Wrapped = P;
  // Nobody asks which of several holders holds. The numbers are its own.
  static constexpr Members kLeftOut = members::kEachSharedMember | members::kLease |
                                      members::kIsLocked | members::kIsHeldByThisThread |
                                      members::kTwoKeys | members::kKeysTogether | members::kStops;
  static constexpr bool kSmallKeys = stress::has_small_keys<P>();
  static constexpr bool kKeepsIdleKeys = stress::keeps_idle_keys<P>();
  static constexpr bool kLastMayDestroy = stress::last_may_destroy<P>();
  static constexpr auto kPromises = P::kPromises;

  class Handle {
   public:
    Handle(NumberedPermits& owner, std::uint64_t key)
        : owner_(owner), taken_(owner.taken_(key)), handle_(owner.lock_.handle(key)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      handle_.lock();
      number();
    }
    bool try_lock() { return handle_.try_lock() && number(); }
    template <class Timeout>
    bool try_lock_for(const Timeout& timeout) {
      return handle_.try_lock_for(timeout) && number();
    }
    template <class Deadline>
    bool try_lock_until(const Deadline& deadline) {
      return handle_.try_lock_until(deadline) && number();
    }
    void unlock() {
      // release: the next thread that has this number sees what this thread did with it.
      taken_.fetch_and(~(std::uint64_t{1} << lease_), std::memory_order_release);
      handle_.unlock();
    }
    std::uint32_t lease() const { return lease_; }
    std::uint64_t token() const requires requires(const HandleOf<P>& handle) { handle.token(); }
    { return handle_.token(); }

   private:
    // Acquires the smallest free number. acquire: pairs with the release above.
    bool number() {
      std::uint64_t seen = taken_.load(std::memory_order_relaxed);
      do {
        lease_ = 0;
        while (lease_ + 1 < owner_.capacity() && (seen >> lease_ & 1) != 0) ++lease_;
      } while (!taken_.compare_exchange_weak(seen, seen | std::uint64_t{1} << lease_,
                                             std::memory_order_acquire, std::memory_order_relaxed));
      return true;
    }

    NumberedPermits& owner_;
    platform::Atomic<std::uint64_t>& taken_;
    HandleOf<P> handle_;
    std::uint32_t lease_ = 0;
  };

  template <class... Arguments>
  requires stress::kMadeFrom<P, Arguments...>
  explicit NumberedPermits(Arguments... arguments) : lock_(arguments...) {}

  Handle handle(std::uint64_t key) { return Handle(*this, key); }
  std::uint32_t capacity() const { return lock_.capacity(); }
  std::size_t lock_bytes() const { return lock_.lock_bytes(); }
  std::size_t keys_kept() const requires CountsKeys<P> { return lock_.keys_kept(); }

 private:
  P lock_;
  WordOfKey<> taken_;
};

}  // namespace lockbench
