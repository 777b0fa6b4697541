// SPDX-License-Identifier: Apache-2.0

// Locks for readers and writers that are correct as long as nobody reads, and their controls.
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <lockbench/plugin.h>
#include <mutex>
#include <sched.h>
#include <string_view>

namespace {

enum class Fault { kNone, kReaderBesideWriter, kWriterBesideReader, kRelaxedLeave };

// The highest bit is the writer's, the others count readers.
template <Fault kFault>
class ReadersAndWriters {
 public:
  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() {
    std::uint32_t free = kFault == Fault::kWriterBesideReader ? word_.load() & ~kWriter : 0;
    return word_.compare_exchange_strong(free, free | kWriter, std::memory_order_acquire);
  }
  void unlock() { word_.fetch_and(~kWriter, std::memory_order_release); }

  void lock_shared() {
    while (!try_lock_shared()) sched_yield();
  }
  bool try_lock_shared() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while (kFault == Fault::kReaderBesideWriter || (seen & kWriter) == 0) {
      if (word_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }
  bool try_lock_shared_for(std::chrono::nanoseconds timeout) {
    return within(timeout, [this] { return try_lock_shared(); });
  }
  void unlock_shared() {
    word_.fetch_sub(
        1, kFault == Fault::kRelaxedLeave ? std::memory_order_relaxed : std::memory_order_release);
  }

 protected:
  template <class Try>
  static bool within(std::chrono::nanoseconds timeout, const Try& attempt) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!attempt()) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      sched_yield();
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kWriter = 1U << 31;

  std::atomic<std::uint32_t> word_{0};
};

// With timeouts, for readers as well or for writers alone.
class Timed : public ReadersAndWriters<Fault::kNone> {
 public:
  static constexpr lockbench::LockPromises kPromises{.timed = true};

  bool try_lock_for(std::chrono::nanoseconds timeout) {
    return within(timeout, [this] { return try_lock(); });
  }
};

class TimedForWriters : public Timed {
  using Timed::try_lock_shared_for;
};

// Stripes of such locks, by number or by name.
template <class Key, Fault kFault>
class Table {
 public:
  static constexpr lockbench::LockPromises kPromises{};

  class Handle {
   public:
    explicit Handle(ReadersAndWriters<kFault>& lock) : lock_(lock) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { lock_.lock(); }
    bool try_lock() { return lock_.try_lock(); }
    void unlock() { lock_.unlock(); }
    void lock_shared() { lock_.lock_shared(); }
    bool try_lock_shared() { return lock_.try_lock_shared(); }
    void unlock_shared() { lock_.unlock_shared(); }

   private:
    ReadersAndWriters<kFault>& lock_;
  };

  Handle handle(Key key) { return Handle(locks_[std::hash<Key>{}(key) % locks_.size()]); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  std::array<ReadersAndWriters<kFault>, 4> locks_;
};

// Threads are served by tickets, readers together, and a thread keeps its ticket in a node. Who
// leaves counts itself; if kCounts is not set, it says instead that all up to its ticket have left.
template <bool kCounts>
class Tickets {
 public:
  struct Node {
    std::uint32_t ticket = 0;
  };

  void lock(Node& node) {
    node.ticket = next_.fetch_add(1, std::memory_order_relaxed);
    while (writers_.load(std::memory_order_acquire) != node.ticket) sched_yield();
  }
  bool try_lock(Node& node) {
    node.ticket = writers_.load(std::memory_order_acquire);
    return next_.compare_exchange_strong(node.ticket, node.ticket + 1, std::memory_order_acquire);
  }
  void unlock(Node& node) {
    readers_.store(node.ticket + 1, std::memory_order_release);
    leave(node);
  }

  void lock_shared(Node& node) {
    node.ticket = next_.fetch_add(1, std::memory_order_relaxed);
    while (readers_.load(std::memory_order_acquire) != node.ticket) sched_yield();
    readers_.store(node.ticket + 1, std::memory_order_release);
  }
  bool try_lock_shared(Node& node) {
    node.ticket = readers_.load(std::memory_order_acquire);
    if (!next_.compare_exchange_strong(node.ticket, node.ticket + 1, std::memory_order_acquire)) {
      return false;
    }
    readers_.store(node.ticket + 1, std::memory_order_release);
    return true;
  }
  void unlock_shared(Node& node) { leave(node); }

 private:
  void leave(Node& node) {
    if (kCounts) {
      writers_.fetch_add(1, std::memory_order_release);
    } else {
      writers_.store(node.ticket + 1, std::memory_order_release);
    }
  }

  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> readers_{0};  // the ticket of the next that may read
  std::atomic<std::uint32_t> writers_{0};  // of the next that may write: how many have left
};

using Number = std::uint64_t;
using Name = std::string_view;

// Readers, one of which may become a writer, and a writer that becomes a reader.
enum class Change {
  kAtOnce,
  kLetsOthersWrite,
  kTwoMayBecomeWriters,
  kLetsOthersWriteAtTheEnd,
  kKeepsTheRight
};

template <Change kChange>
class Changing {
 public:
  void lock() {
    wait_until([this] { return !writes_ && !may_write_ && readers_ == 0; },
               [this] { writes_ = true; });
  }
  bool try_lock() {
    const std::lock_guard<std::mutex> guard(guard_);
    if (writes_ || may_write_ || readers_ != 0) return false;
    return writes_ = true;
  }
  void unlock() {
    change([this] { writes_ = false; });
  }

  void lock_shared() {
    wait_until([this] { return !writes_; }, [this] { ++readers_; });
  }
  bool try_lock_shared() {
    const std::lock_guard<std::mutex> guard(guard_);
    if (!writes_) ++readers_;
    return !writes_;
  }
  void unlock_shared() {
    change([this] { --readers_; });
  }

  void lock_upgrade() {
    constexpr bool kAnybody = kChange == Change::kTwoMayBecomeWriters;
    wait_until([this] { return !writes_ && (kAnybody || !may_write_); },
               [this] { may_write_ = true; });
  }
  void unlock_upgrade() {
    change([this] { may_write_ = kChange == Change::kKeepsTheRight; });
  }
  void unlock_upgrade_and_lock() {
    if constexpr (kChange == Change::kLetsOthersWrite) {
      unlock_upgrade();
      lock();
    } else {
      wait_until([this] { return !writes_ && readers_ == 0; },
                 [this] {
                   may_write_ = false;
                   writes_ = true;
                 });
    }
  }
  void unlock_and_lock_shared() {
    if constexpr (kChange == Change::kLetsOthersWriteAtTheEnd) {
      unlock();
      lock_shared();
    } else {
      change([this] {
        writes_ = false;
        ++readers_;
      });
    }
  }

 private:
  template <class Ready, class Then>
  void wait_until(const Ready& ready, const Then& then) {
    std::unique_lock<std::mutex> lock(guard_);
    changed_.wait(lock, ready);
    then();
  }
  template <class Do>
  void change(const Do& done) {
    {
      const std::lock_guard<std::mutex> guard(guard_);
      done();
    }
    changed_.notify_all();
  }

  std::mutex guard_;
  std::condition_variable changed_;
  bool writes_ = false;
  bool may_write_ = false;
  int readers_ = 0;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<ReadersAndWriters<Fault::kNone>>("shared_word", "a writer's bit, and a count");
  locks.add_alone<ReadersAndWriters<Fault::kReaderBesideWriter>>("shared_reader_enters",
                                                                 "readers look for no writer");
  locks.add_alone<ReadersAndWriters<Fault::kWriterBesideReader>>("shared_writer_enters",
                                                                 "writers look for no reader");
  locks.add_alone<ReadersAndWriters<Fault::kRelaxedLeave>>(
      "shared_relaxed", "what a reader has read is not over when it leaves");
  locks.add_alone<Tickets<true>>("shared_tickets", "tickets, kept in nodes");
  locks.add_alone<Tickets<false>>("shared_tickets_leave_early",
                                  "a reader leaves for those before it");
  locks.add_alone<Changing<Change::kAtOnce>>("changing",
                                             "a reader becomes a writer, and a reader again");
  locks.add_alone<Changing<Change::kLetsOthersWrite>>("changing_lets_go",
                                                      "others may write before it does");
  locks.add_alone<Changing<Change::kTwoMayBecomeWriters>>("changing_two",
                                                          "two may become writers at a time");
  locks.add_alone<Changing<Change::kLetsOthersWriteAtTheEnd>>(
      "changing_lets_go_at_the_end", "others may write before it reads again");
  locks.add_alone<Changing<Change::kKeepsTheRight>>(
      "changing_keeps", "who gives up to become a writer keeps the right");
  locks.add_alone<Timed>("shared_timed", "with timeouts");
  locks.add_alone<TimedForWriters>("shared_timed_writers", "with timeouts, for writers alone");
  locks.add<Table<Number, Fault::kNone>>("shared_rows", "stripes");
  locks.add<Table<Number, Fault::kReaderBesideWriter>>("shared_rows_reader_enters",
                                                       "readers look for no writer");
  locks.add<Table<Name, Fault::kNone>>("shared_names", "stripes, by name");
  locks.add<Table<Name, Fault::kReaderBesideWriter>>("shared_names_reader_enters",
                                                     "readers look for no writer");
}
