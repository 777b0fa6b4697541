// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/redis/redis_lock.h"

#include <algorithm>

#include "harness/services/locks/random_text.h"
#include "harness/services/locks/watchdog.h"

namespace lockbench::services {
namespace {

std::string token_name(const std::string& name) {
  return name + ":t";
}
std::string queue_name(const std::string& name) {
  return name + ":q";
}

}  // namespace

class RedisLock::Watchdog : public services::Watchdog<Hold> {
 public:
  using services::Watchdog<Hold>::Watchdog;
};

RedisLock::RedisLock(const Address& address, RedisLockSettings settings)
    : settings_(settings),
      lease_ms_(std::to_string(settings.lease.count())),
      capacity_(std::to_string(settings.capacity)),
      scripts_(lock_scripts(settings.capacity != 1)),
      server_(address),
      subscribers_(address, server_.counts()),
      watchdog_(std::make_unique<Watchdog>(settings.lease / 3, [this](Hold& h) { renew(h); })) {
  server_.check();
}

RedisLock::~RedisLock() = default;

void RedisLock::renew(Hold& hold) {
  const platform::Time asked = platform::now();
  try {
    const Reply reply =
        scripts_.renew.run(*server_.connection(), {hold.name}, {hold.value, lease_ms_});
    if (reply->integer == 1) {
      server_.counts().renewals.fetch_add(1, std::memory_order_relaxed);
      hold.lease_end = asked + settings_.lease;
    } else if (!hold.released) {
      hold.lost = true;
    }
  } catch (const ServiceError&) {
    // The lease ends by itself, and lost() says so then.
  }
}

RedisLock::Handle RedisLock::handle(std::uint64_t key) {
  return {*this, server_.name_of(std::to_string(key))};
}

RedisLock::Handle RedisLock::handle(std::string_view key) {
  return {*this, server_.name_of(key)};
}

bool RedisLock::try_acquire(Connection& connection, Handle& handle, std::string_view if_held,
                            std::string_view listener, platform::Duration& lease_left) {
  Hold& hold = *handle.hold_;
  // The lease is counted from before the request, so it never ends later here than at the server.
  const platform::Time asked = platform::now();
  const Reply reply =
      scripts_.acquire.run(connection, {hold.name, token_name(hold.name), queue_name(hold.name)},
                           {hold.value, lease_ms_, if_held, capacity_, listener});
  if (reply->integer < 0) {
    lease_left = std::chrono::milliseconds(-reply->integer);
    return false;
  }
  handle.token_ = static_cast<std::uint64_t>(reply->integer);
  hold.lease_end = asked + settings_.lease;
  if (settings_.renews) watchdog_->add(handle.hold_);
  server_.counts().acquisitions.fetch_add(1, std::memory_order_relaxed);
  return true;
}

TryReason RedisLock::acquire(Handle& handle, bool waits, platform::Time deadline) {
  handle.hold_ = std::make_shared<Hold>();
  handle.hold_->name = handle.name_;
  handle.hold_->value = short_random_text();
  const RedisPool::Lease connection = server_.connection();
  platform::Duration lease_left{0};
  if (try_acquire(*connection, handle, "leave", "", lease_left)) return TryReason::kAcquired;
  if (!waits) return TryReason::kHeld;
  return wait_and_acquire(*connection, handle, deadline);
}

// The client listens before it is in the queue, so it misses no message. One that was woken and
// finds the key held by a client that came later waits as the first.
TryReason RedisLock::wait_and_acquire(Connection& connection, Handle& handle,
                                      platform::Time deadline) {
  const Hold& hold = *handle.hold_;
  const RedisPool::Lease subscriber = subscribers_.take();
  // A client that an exception keeps from leaving the queue must not look as if it listened.
  struct CloseUnlessLeft {
    Connection& connection;
    bool left = false;
    ~CloseUnlessLeft() {
      if (!left) connection.close();
    }
  };
  CloseUnlessLeft at_end{*subscriber};
  subscriber->listen(server_.prefix() + kChannels);
  const std::string& listener = subscriber->listener();
  platform::Duration lease_left{0};
  for (std::string_view if_held = "tail";;) {
    at_end.left = try_acquire(connection, handle, if_held, listener, lease_left);
    if (at_end.left) return TryReason::kAcquired;
    const platform::Time now = platform::now();
    if (now >= deadline) {
      scripts_.leave.run(connection, {hold.name, queue_name(hold.name)},
                         {hold.value + listener, capacity_});
      at_end.left = true;
      return TryReason::kTimedOut;
    }
    const platform::Duration wait = std::min<platform::Duration>(lease_left, settings_.poll);
    const bool woken = subscriber->await_message(hold.value, std::min(deadline, now + wait));
    if_held = woken ? "head" : "stay";
  }
}

// If the server cannot be reached, the lease ends by itself.
void RedisLock::release(Handle& handle) {
  Hold& hold = *handle.hold_;
  if (platform::now() >= hold.lease_end.load()) hold.lost = true;
  hold.released = true;
  if (settings_.renews) watchdog_->remove(handle.hold_);
  try {
    const Reply reply = scripts_.release.run(*server_.connection(),
                                             {hold.name, queue_name(hold.name)}, {hold.value});
    if (reply->integer != 1) hold.lost = true;
  } catch (const ServiceError&) {
    hold.lost = true;
  }
}

void RedisLock::Handle::unlock() {
  lock_.release(*this);
}

bool RedisLock::Handle::lost() const {
  return hold_ != nullptr &&
         (hold_->lost || (!hold_->released && platform::now() >= hold_->lease_end.load()));
}

}  // namespace lockbench::services
