// SPDX-License-Identifier: Apache-2.0

// Key scan: checks whether two keys that have no relation to each other share a lock.
//
// If a lock distinguishes keys only by a hash, two of some thousands of keys share a lock, but
// short programs do not use that many keys. So one thread holds many random keys, and another tries
// many more. With n held and m tried keys, the probability to detect a hash of b bits is 1 - e^(-nm
// / 2^b).

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/own_thread.h"
#include "workloads/random.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Keys = std::vector<std::uint64_t>;

constexpr std::size_t kMostHeld = 1 << 16;
constexpr std::size_t kMostTried = 1 << 17;
constexpr milliseconds kMostToHold{20};
constexpr milliseconds kMostToTry{30};
// Two keys that seem to share a lock must do so in each of this many repetitions.
constexpr int kConfirmations = 3;

// Holds the keys in order, up to the first one that cannot be acquired or until the time is over. A
// lock that throws while it holds many has no memory or no file descriptors for more: the later
// half of the keys is released, because others need some too. Only the thread that made the object
// may destroy it.
class Holds {
 public:
  Holds(EpochContext& context, std::span<const std::uint64_t> keys, milliseconds most)
      : beat_(context.state.beat) {
    const Clock::time_point until = Clock::now() + most;
    try {
      for (const std::uint64_t key : keys) {
        std::unique_ptr<LockHandle> handle = context.lock.handle(key);
        if (Clock::now() >= until || !handle->try_lock()) break;
        handles_.push_back(std::move(handle));
        if (handles_.size() % kKeysOfABeat == 0) add(beat_);
      }
    } catch (const std::exception&) {
      if (handles_.size() < kManyKeys) throw;
      release_from(handles_.size() / 2);
    }
  }
  ~Holds() { release_from(0); }
  Holds(const Holds&) = delete;
  Holds& operator=(const Holds&) = delete;

  std::size_t size() const { return handles_.size(); }

 private:
  static constexpr std::size_t kKeysOfABeat = 256;

  void release_from(std::size_t first) {
    for (std::size_t i = first; i < handles_.size(); ++i) {
      handles_[i]->unlock();
      if (i % kKeysOfABeat == 0) add(beat_);
    }
    handles_.resize(first);
    add(beat_);
  }

  Word& beat_;
  std::vector<std::unique_ptr<LockHandle>> handles_;
};

class Scan {
 public:
  Scan(EpochContext& context, std::uint64_t seed) : context_(context), random_(seed) {}

  void run() {
    Keys held = draw(kMostHeld);
    std::optional<std::uint64_t> refused;
    {
      const Holds holds(context_, held, kMostToHold);
      held.resize(holds.size());
      add(context_.state.beat);
      by_another([&] { refused = first_refused(); });
    }
    add(context_.state.beat);
    check(context_.state, kOwnSlot, ManyKeys{});
    if (!refused) return;
    if (const auto other = narrowed(held, *refused)) confirm(*other, *refused);
  }

 private:
  Keys draw(std::size_t count) {
    Keys keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(random_.next());
    return keys;
  }

  // A lock that throws meanwhile has no room for another key.
  void by_another(const std::function<void()>& body) const {
    own_thread(context_.state, [&] {
      try {
        body();
      } catch (const std::exception&) {
      }
    }).join();
  }

  bool is_free_for_another(std::uint64_t key) {
    bool had = true;  // if it throws, this is no second key of the same lock
    by_another([&] { had = acquired_at_once(key); });
    return had;
  }

  bool acquired_at_once(std::uint64_t key) {
    const std::unique_ptr<LockHandle> handle = context_.lock.handle(key);
    if (!acquire_free(*handle, tries_of_free_key(context_.entry.abilities.strong_try)))
      return false;
    handle->unlock();
    return true;
  }

  std::optional<std::uint64_t> first_refused() {
    const Clock::time_point until = Clock::now() + kMostToTry;
    for (std::size_t i = 0; i < kMostTried && Clock::now() < until; ++i) {
      const std::uint64_t key = random_.next();
      if (!acquired_at_once(key)) return key;
    }
    return std::nullopt;
  }

  // Finds, by halving, one of the keys that makes `refused` fail when it is held alone. Absent if
  // it takes several keys.
  std::optional<std::uint64_t> narrowed(Keys keys, std::uint64_t refused) {
    while (keys.size() > 1) {
      const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
      const Keys first(keys.begin(), middle);
      const Keys second(middle, keys.end());
      keys = refused_while(first, refused) ? first : second;
      add(context_.state.beat);
    }
    if (keys.empty() || keys.front() == refused) return std::nullopt;
    return keys.front();
  }

  bool refused_while(std::span<const std::uint64_t> held, std::uint64_t key) {
    const Holds holds(context_, held, kMostToHold);
    return !is_free_for_another(key);
  }

  void confirm(std::uint64_t held, std::uint64_t refused) {
    for (int i = 0; i < kConfirmations; ++i) {
      if (!refused_while(std::span(&held, 1), refused) || !is_free_for_another(refused)) return;
    }
    check(context_.state, kOwnSlot, ManyKeys{.held = held, .refused = refused});
  }

  EpochContext& context_;
  Random random_;
};

}  // namespace

void scan_keys(EpochContext& context, std::uint64_t seed) {
  Scan(context, seed).run();
}

}  // namespace lockbench::stress::threads
