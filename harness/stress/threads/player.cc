// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/player.h"

#include <chrono>
#include <sched.h>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/stress/litmus/perform.h"

namespace lockbench::stress::threads {
namespace {

// Rests are drawn for a clock that costs nothing to wait for. Here so much less of them is long
// enough for others to give up spinning and sleep.
constexpr std::int64_t kShareOfRest = 16;

constexpr std::uint64_t kOneYieldIn = 8;

}  // namespace

void Player::go_through_acts() {
  for (std::size_t i = 0; i < acts_.size();) i = perform(i);
}

std::size_t Player::perform(std::size_t position) {
  const Act& act = acts_[position];
  switch (act.kind) {
    case Act::kUnlock:
      give();
      break;
    case Act::kUnlockThrowing:
      unlock_while_throwing([this] { give(); });
      break;
    case Act::kUnlockByNonOwner:
      if (holds_.empty()) scene_.lock.handle(act.key)->unlock();
      break;
    case Act::kSleep:
      std::this_thread::sleep_for(std::chrono::nanoseconds(act.ns / kShareOfRest));
      break;
    case Act::kAwaitEnd:
      break;  // no program of a run has it
    default:
      return take(position);
  }
  return position + 1;
}

// What lies between a take that was refused and its giving back is left out.
std::size_t Player::take(std::size_t position) {
  const Act& act = acts_[position];
  disturb();
  std::unique_ptr<LockHandle> handle = handle_for(scene_.lock, act);
  scene_.log.wants(number_, static_cast<std::uint32_t>(position));
  const bool held = call(act, *handle);
  scene_.log.wants_nothing(number_);
  if (!held) return end_of_hold(acts_, position) + 1;
  const Entry entry{
      .act = static_cast<std::uint32_t>(position), .lease = handle->lease(), .takes = true};
  scene_.log.note(number_, entry);
  holds_.push_back({std::move(handle), entry});
  disturb();
  return position + 1;
}

bool Player::call(const Act& act, LockHandle& handle) {
  if (act.kind == Act::kTryLock) return handle.try_lock();
  if (act.kind == Act::kTryLockFor) return handle.try_lock_for(std::chrono::nanoseconds(act.ns));
  try {
    handle.lock();
  } catch (const std::system_error& error) {
    // A lock may say that waiting would never end, to a thread that holds something of it.
    const bool impossible = error.code() == std::errc::resource_deadlock_would_occur;
    if (!impossible || holds_.empty()) throw;
    return false;
  }
  return true;
}

void Player::give() {
  disturb();
  Hold hold = std::move(holds_.back());
  holds_.pop_back();
  hold.entry.takes = false;
  scene_.log.note(number_, hold.entry);
  hold.handle->unlock();
}

void Player::disturb() {
  if (scene_.yields && random_.below(kOneYieldIn) == 0) sched_yield();
}

}  // namespace lockbench::stress::threads
