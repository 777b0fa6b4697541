// SPDX-License-Identifier: Apache-2.0

// Locks that go wrong in ways of their own, before the few workloads that one kind of key and no
// pair of keys leave: quick to compile.
#include <cstdlib>
#include <lockbench/plugin.h>
#include <stdexcept>
#include <thread>

namespace {

using lockbench::Promises;

// A KeyedLock whose handles do what `Lock` says.
template <class Lock>
class ForAllKeys {
 public:
  static constexpr Promises kPromises{};

  class Handle {
   public:
    explicit Handle(Lock& lock) : lock_(lock) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    void lock() { lock_.lock(); }
    bool try_lock() { return lock_.try_lock(); }
    void unlock() { lock_.unlock(); }

   private:
    Lock& lock_;
  };

  Handle handle(std::uint64_t) { return Handle(lock_); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  Lock lock_;
};

struct Sound {
  void lock() { mutex.lock(); }
  bool try_lock() { return mutex.try_lock(); }
  void unlock() { mutex.unlock(); }
  std::mutex mutex;
};

struct Throwing : Sound {
  Throwing() { throw std::runtime_error("no room for this lock"); }
};

struct ThrowingAnything : Sound {
  ThrowingAnything() { throw 42; }
};

struct AbortingUnlock : Sound {
  void unlock() { std::abort(); }
};

struct NeverReturning : Sound {
  void lock() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
};

// Excludes nobody.
struct Open {
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<ForAllKeys<Sound>>("sound", "works, beside what does not");
  locks.add<ForAllKeys<Throwing>>("throwing", "its constructor throws");
  locks.add<ForAllKeys<ThrowingAnything>>("throwing_anything", "throws what is no exception");
  locks.add<ForAllKeys<AbortingUnlock>>("aborting", "its unlock aborts");
  locks.add<ForAllKeys<NeverReturning>>("never_returning", "its lock never returns");
  locks.add<ForAllKeys<Open>>("open", "excludes nobody");
}
