// SPDX-License-Identifier: Apache-2.0

// Memory growth: checks whether calls of one kind leave memory behind that is not freed.
//
// A lock may keep memory that it will use again, and may free many blocks at a time. So the check
// first makes enough calls to fill everything that the lock keeps, and then makes calls again: the
// memory that these leave behind is lost.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <malloc.h>
#include <memory>
#include <thread>
#include <vector>

#include "harness/stress/oracles/residue.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/own_thread.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kCalls = 20'000;
// Fewer calls show nothing, so a lock that is this slow is not checked.
constexpr std::uint32_t kLeastCalls = 4'000;
constexpr std::chrono::milliseconds kMostForCalls{20};
constexpr std::chrono::milliseconds kMostForTimeouts{120};  // each is a call of the kernel or two
// Over before the thread could sleep.
constexpr std::chrono::nanoseconds kShortTimeout{1};
// So many keys are held while another thread requests each of them once.
constexpr std::uint32_t kKeysHeld = 64;

std::uint64_t bytes_in_use() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

class Repetition {
 public:
  Repetition(EpochContext& context, Calls calls) : context_(context), calls_(calls) {
    const Abilities& abilities = context.entry.abilities;
    new_keys_ = abilities.reclaims && abilities.any_key && context.plan.program.key_set == 0;
    const bool holds_many =
        abilities.nests_keys && abilities.limits.keys == 0 && abilities.limits.keys_of_thread == 0;
    if (calls != Calls::kHolds && !holds_many) new_keys_ = false;
  }

  // Makes up to `most` calls, and returns how many it made.
  std::uint32_t run(std::uint32_t most) {
    until_ = Clock::now() + (calls_ == Calls::kTimeouts ? kMostForTimeouts : kMostForCalls);
    std::uint32_t made = 0;
    if (calls_ == Calls::kHolds) {
      for (; made < most && goes_on(); ++made) hold();
    } else {
      const std::uint32_t batch = new_keys_ ? kKeysHeld : most;
      for (std::uint32_t begun = 0; begun < most && goes_on(); begun += batch) {
        made += be_refused(std::min(batch, most - begun));
      }
    }
    add(context_.state.beat);
    return made;
  }

 private:
  bool goes_on() const { return Clock::now() < until_; }

  std::uint64_t next_key() { return new_keys_ ? next_key_++ : 0; }

  void hold() {
    const std::unique_ptr<LockHandle> handle = context_.lock.handle(next_key());
    handle->lock();
    handle->unlock();
  }

  // Holds one key for each call, or one for all of them. A call that is not refused ends it:
  // other checks are about that.
  std::uint32_t be_refused(std::uint32_t most) {
    std::vector<std::uint64_t> keys(new_keys_ ? most : 1);
    std::vector<std::unique_ptr<LockHandle>> held;
    put(context_.state.phase, SharedState::kOtherKeys);
    for (std::uint64_t& key : keys) {
      key = next_key();
      put(context_.state.asked_key, key);
      put(context_.state.held_key, held.size());
      held.push_back(context_.lock.handle(key));
      held.back()->lock();
      add(context_.state.beat);
    }
    put(context_.state.phase, SharedState::kComparing);
    std::uint32_t made = 0;
    own_thread(context_.state, [&] {
      for (; made < most && goes_on(); ++made) {
        const std::unique_ptr<LockHandle> handle = context_.lock.handle(keys[new_keys_ ? made : 0]);
        const bool had =
            calls_ == Calls::kTimeouts ? handle->try_lock_for(kShortTimeout) : handle->try_lock();
        if (!had) continue;
        handle->unlock();
        until_ = {};
      }
    }).join();
    for (const auto& handle : held) handle->unlock();
    return made;
  }

  EpochContext& context_;
  Calls calls_;
  bool new_keys_ = false;
  std::uint64_t next_key_ = kCalls;  // the program uses lower ones
  Clock::time_point until_;
};

}  // namespace

void check_memory_growth(EpochContext& context, Calls calls) {
  Repetition repetition(context, calls);
  std::uint32_t number = repetition.run(kCalls);
  if (number < kLeastCalls) return;
  // A lock that frees a thousand blocks at a time may seem to grow, but not twice in a row.
  for (int confirmation = 1; confirmation >= 0; --confirmation) {
    const std::uint64_t before = bytes_in_use();
    // Not more than before: a lock may keep as much as it has ever needed.
    number = repetition.run(number);
    const std::uint64_t after = bytes_in_use();
    if (number < kLeastCalls) return;
    const HeapGrowth seen{
        .calls = calls, .number = number, .bytes = after > before ? after - before : 0};
    const bool grows = oracles::Residue::check(seen).failure.has_value();
    if (!grows || confirmation == 0) return check(context.state, kOwnSlot, seen);
  }
}

}  // namespace lockbench::stress::threads
