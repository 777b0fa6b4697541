// SPDX-License-Identifier: Apache-2.0

// Locks that make all promises that go together: one with one holder, one with two, and one for
// readers and writers. Each keeps them.
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <lockbench/plugin.h>
#include <mutex>
#include <optional>

namespace {

using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

// Threads are served in the order in which they came; readers that follow each other are inside
// together. A slot is that of a writer, or all readers have one together.
template <std::uint32_t kSlots>
class Queue {
 public:
  static constexpr lockbench::LockPromises kPromises{
      .timed = true, .fair = true, .strong_try = true, .capacity = kSlots};

  void lock() { enter(kWrites, {}); }
  bool try_lock() { return enters_at_once(kWrites); }
  bool try_lock_for(nanoseconds timeout) { return enter(kWrites, Clock::now() + timeout); }
  void unlock() { leave(kWrites); }

 protected:
  static constexpr bool kReads = true;
  static constexpr bool kWrites = false;

  // Who waits sleeps: on a busy machine, a thread that yields is not seen to wait.
  bool enter(bool reads, std::optional<Clock::time_point> deadline) {
    std::unique_lock<std::mutex> guard(guard_);
    if (count_ == 0 && take(reads)) return true;
    Request own{.reads = reads};
    waiting_[count_++] = &own;
    const auto granted = [&] { return own.granted; };
    if (!deadline) {
      own.changed.wait(guard, granted);
    } else if (!own.changed.wait_until(guard, *deadline, granted)) {
      give_up(own);
      return false;
    }
    return true;
  }

  bool enters_at_once(bool reads) {
    const std::lock_guard<std::mutex> guard(guard_);
    return count_ == 0 && take(reads);
  }

  void leave(bool reads) {
    const std::lock_guard<std::mutex> guard(guard_);
    --(reads ? readers_ : writers_);
    serve();
  }

 private:
  struct Request {
    bool reads;
    bool granted = false;
    std::condition_variable changed = {};
  };

  // The functions below are called under the guard.

  bool take(bool reads) {
    if (reads ? writers_ != 0 : readers_ != 0 || writers_ == kSlots) return false;
    ++(reads ? readers_ : writers_);
    return true;
  }

  void serve() {
    while (count_ != 0 && take(waiting_[0]->reads)) {
      Request* const first = waiting_[0];
      remove(0);
      first->granted = true;
      first->changed.notify_one();
    }
  }

  void give_up(const Request& request) {
    const auto end = waiting_.begin() + count_;
    const auto found = std::find(waiting_.begin(), end, &request);
    remove(static_cast<std::size_t>(found - waiting_.begin()));
    serve();
  }

  void remove(std::size_t index) {
    std::copy(waiting_.begin() + index + 1, waiting_.begin() + count_, waiting_.begin() + index);
    --count_;
  }

  std::mutex guard_;
  std::uint32_t readers_ = 0;
  std::uint32_t writers_ = 0;
  std::size_t count_ = 0;
  std::array<Request*, 512> waiting_{};
};

class SharedQueue : public Queue<1> {
 public:
  void lock_shared() { enter(kReads, {}); }
  bool try_lock_shared() { return enters_at_once(kReads); }
  bool try_lock_shared_for(nanoseconds timeout) { return enter(kReads, Clock::now() + timeout); }
  void unlock_shared() { leave(kReads); }
};

// Who comes while the lock is free may take it before those that wait, up to kAllowed times for
// each of these; then the first of them gets it. If tries do not count, they pass without a limit.
template <std::uint32_t kPromised, std::uint32_t kAllowed = kPromised, bool kTriesCount = true>
class Passing {
 public:
  static constexpr lockbench::LockPromises kPromises{.bypass_limit = kPromised};

  void lock() {
    std::unique_lock<std::mutex> guard(guard_);
    if (passes()) return;
    Request own;
    waiting_[count_++] = &own;
    own.changed.wait(guard, [&] { return waiting_[0] == &own && !held_; });
    held_ = true;
    std::copy(waiting_.begin() + 1, waiting_.begin() + count_, waiting_.begin());
    --count_;
  }
  bool try_lock() {
    const std::lock_guard<std::mutex> guard(guard_);
    if (kTriesCount) return passes();
    return !held_ && (held_ = true);
  }
  void unlock() {
    const std::lock_guard<std::mutex> guard(guard_);
    held_ = false;
    if (count_ != 0) waiting_[0]->changed.notify_one();
  }

 private:
  struct Request {
    std::uint32_t passes = 0;
    std::condition_variable changed = {};
  };

  // The functions below are called under the guard.

  bool passes() {
    if (held_ || !may_pass()) return false;
    held_ = true;
    for (std::size_t i = 0; i < count_; ++i) ++waiting_[i]->passes;
    return true;
  }
  bool may_pass() const {
    return std::all_of(waiting_.begin(), waiting_.begin() + count_,
                       [](const Request* one) { return one->passes < kAllowed; });
  }

  std::mutex guard_;
  bool held_ = false;
  std::size_t count_ = 0;
  std::array<Request*, 512> waiting_{};
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<Queue<1>>("queue", "one holder, first come, first served");
  locks.add_alone<Queue<2>>("queue_of_two", "the same with two holders");
  locks.add_alone<SharedQueue>("queue_shared", "the same for readers and writers");
  locks.add_alone<Passing<3>>("passing", "who waits is passed three times at most");
  locks.add_alone<Passing<3, 4>>("passing_too_often", "says so, and lets four threads pass");
  locks.add_alone<Passing<3, 3, false>>("passing_by_tries", "says so, and lets all tries pass");
}
