// SPDX-License-Identifier: Apache-2.0

// absl::Mutex from Abseil's own sources.
//
//   lockbench stress --plugin ./absl_lock.so --engine sim
#include <lockbench/plugin.h>
#include <utility>

#include <absl/base/internal/sysinfo.h>
#include <absl/synchronization/mutex.h>

namespace {

// Before the first wait. Else the thread that waits first measures the frequency, with the queue of
// the mutex locked: in 255 ms of sleeps if the clock is a simulated one.
class KnownFrequency {
 public:
  KnownFrequency() { absl::base_internal::NominalCPUFrequency(); }
};

class AbslMutex : KnownFrequency {
 public:
  void lock() { mutex_.Lock(); }
  bool try_lock() { return mutex_.TryLock(); }
  void unlock() { mutex_.Unlock(); }
  void lock_shared() { mutex_.ReaderLock(); }
  bool try_lock_shared() { return mutex_.ReaderTryLock(); }
  void unlock_shared() { mutex_.ReaderUnlock(); }

 private:
  absl::Mutex mutex_;
};

// Waits for a condition that the mutex itself evaluates when it is released.
class Conditional : KnownFrequency {
 public:
  void lock() {
    mutex_.LockWhen(absl::Condition(
        +[](bool* held) { return !*held; }, &held_));
    held_ = true;
    mutex_.Unlock();
  }
  bool try_lock() {
    const absl::MutexLock guard(&mutex_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    const absl::MutexLock guard(&mutex_);
    held_ = false;
  }

 private:
  absl::Mutex mutex_;
  bool held_ = false;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
#if defined(LOCKBENCH_MACHINE_MODEL) && !defined(NDEBUG)
  // As where it is not instrumented: without NDEBUG, as Debian compiles it, each acquisition is
  // looked for in a graph of all mutexes.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kAbort);
#endif
  locks.add<AbslMutex>("absl_mutex", "absl::Mutex", "Abseil");
  locks.add<Conditional>("absl_condition", "absl::Mutex::LockWhen", "Abseil");
}
