// SPDX-License-Identifier: Apache-2.0

// Crowd of readers: whether a lock for readers and writers counts as many readers as come. A count
// of 8 bits is 0 again with 256 of them inside, and a writer then enters beside them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/threads/epoch_checks.h"

namespace lockbench::stress::threads {
namespace {

// One for each value of a count of 8 bits, and some more.
constexpr std::uint32_t kReaders = 260;

// Threads that hold a reader's key each, until the end of this object.
class Crowd {
 public:
  explicit Crowd(EpochContext& context) : context_(context) {}
  ~Crowd() {
    leave_.release(static_cast<std::ptrdiff_t>(threads_.size()));
    for (std::thread& thread : threads_) thread.join();
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Returns true when one more reader is inside, or false if the machine permits no more threads.
  bool enter_one() {
    const auto key = kWritersKey + 1 + static_cast<std::uint32_t>(threads_.size());
    try {
      threads_.emplace_back([this, key] { stay(key); });
    } catch (const std::system_error&) {
      add(context_.state.smaller_crowds);
      return false;
    }
    inside_.acquire();
    add(context_.state.beat);
    return true;
  }

 private:
  void stay(std::uint32_t key) {
    const std::unique_ptr<LockHandle> handle = context_.lock.handle(key);
    handle->lock();
    inside_.release();
    leave_.acquire();
    handle->unlock();
  }

  EpochContext& context_;
  std::counting_semaphore<> inside_{0};
  std::counting_semaphore<> leave_{0};
  std::vector<std::thread> threads_;
};

// True if a writer enters, which it may not.
bool writer_enters(EpochContext& context) {
  const std::unique_ptr<LockHandle> writer = context.lock.handle(kWritersKey);
  try {
    if (!writer->try_lock()) return false;
    writer->unlock();
  } catch (const ReaderBesideWriter&) {
    // The handle saw the readers, too.
  }
  return true;
}

}  // namespace

void check_crowd_of_readers(EpochContext& context) {
  const LockLimits& limits = context.entry.abilities.limits;
  if (limits.threads != 0 && limits.threads <= kReaders) return;
  Crowd crowd(context);
  for (std::uint32_t readers = 1; readers <= kReaders && crowd.enter_one(); ++readers) {
    check(context.state, kOwnSlot,
          TryOfHeldKey{.key = kWritersKey, .acquired = writer_enters(context), .readers = readers});
  }
}

}  // namespace lockbench::stress::threads
