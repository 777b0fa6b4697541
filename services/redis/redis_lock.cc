// SPDX-License-Identifier: Apache-2.0

#include "services/redis/redis_lock.h"

#include <algorithm>

#include "services/random_text.h"
#include "services/redis/script.h"
#include "services/watchdog.h"

namespace lockbench::services {
namespace {

// KEYS: the lock, its last token. ARGV: value, lease in ms, how long the token is kept in ms.
// A value that is there already is that of a request whose answer was lost. Returns the token, or
// less than 0: how long the holder's lease still lasts.
Script& acquire_script() {
  static Script script(R"(
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return -math.max(redis.call('PTTL', KEYS[1]), 1) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if token <= last then token = last + 1 end
redis.call('SET', KEYS[2], string.format('%.0f', token), 'PX', ARGV[3])
return token)");
  return script;
}

// KEYS: the lock, the channel. ARGV: value.
Script& release_script() {
  static Script script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], '')
return 1)");
  return script;
}

// KEYS: the lock. ARGV: value, lease in ms.
Script& renew_script() {
  static Script script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2]))");
  return script;
}

// A token is kept for so long after a hold. After that, it comes from the server's clock alone.
constexpr std::string_view kTokenKeptMs = "600000";

std::string token_name(const std::string& name) {
  return name + ":token";
}
std::string channel_name(const std::string& name) {
  return name + ":free";
}

}  // namespace

class RedisLock::Watchdog : public services::Watchdog<Hold> {
 public:
  using services::Watchdog<Hold>::Watchdog;
};

RedisLock::RedisLock(const Address& address, RedisLockSettings settings)
    : settings_(settings),
      lease_ms_(std::to_string(settings.lease.count())),
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
        renew_script().run(*server_.connection(), {hold.name}, {hold.value, lease_ms_});
    server_.counts().renewals.fetch_add(1, std::memory_order_relaxed);
    if (reply->integer == 1) {
      hold.lease_end = asked + settings_.lease;
    } else {
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

bool RedisLock::try_acquire(Connection& connection, Handle& handle,
                            platform::Duration& lease_left) {
  Hold& hold = *handle.hold_;
  // The lease is counted from before the request, so it never ends later here than at the server.
  const platform::Time asked = platform::now();
  const Reply reply = acquire_script().run(connection, {hold.name, token_name(hold.name)},
                                           {hold.value, lease_ms_, kTokenKeptMs});
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
  handle.hold_->value = random_text();
  const ConnectionPool::Lease connection = server_.connection();
  platform::Duration lease_left{0};
  if (try_acquire(*connection, handle, lease_left)) return TryReason::kAcquired;
  if (!waits) return TryReason::kHeld;
  return wait_and_acquire(*connection, handle, deadline, lease_left);
}

// A message that comes between a try and the subscription would be missed, so there is another try
// after the subscription.
TryReason RedisLock::wait_and_acquire(Connection& connection, Handle& handle,
                                      platform::Time deadline, platform::Duration lease_left) {
  const ConnectionPool::Lease subscriber = subscribers_.take();
  struct Unsubscribe {
    Connection& connection;
    ~Unsubscribe() { connection.unsubscribe(); }
  };
  subscriber->subscribe(channel_name(handle.name_));
  const Unsubscribe at_end{*subscriber};
  for (;;) {
    if (try_acquire(connection, handle, lease_left)) return TryReason::kAcquired;
    const platform::Time now = platform::now();
    if (now >= deadline) return TryReason::kTimedOut;
    const platform::Duration wait = std::min<platform::Duration>(lease_left, settings_.poll);
    subscriber->await_message(std::min(deadline, now + wait));
  }
}

// If the server cannot be reached, the lease ends by itself.
void RedisLock::release(Handle& handle) {
  Hold& hold = *handle.hold_;
  if (settings_.renews) watchdog_->remove(handle.hold_);
  try {
    const Reply reply = release_script().run(*server_.connection(),
                                             {hold.name, channel_name(hold.name)}, {hold.value});
    if (reply->integer != 1) hold.lost = true;
  } catch (const ServiceError&) {
    hold.lost = true;
  }
}

void RedisLock::Handle::lock() {
  lock_.acquire(*this, true, platform::kForever);
}

TryResult RedisLock::Handle::try_lock() {
  try {
    return lock_.acquire(*this, false, {});
  } catch (const ServiceError&) {
    return TryReason::kServiceLost;
  }
}

TryResult RedisLock::Handle::try_lock_until(platform::Time deadline) {
  try {
    return lock_.acquire(*this, true, deadline);
  } catch (const ServiceError&) {
    return TryReason::kServiceLost;
  }
}

void RedisLock::Handle::unlock() {
  lock_.release(*this);
}

bool RedisLock::Handle::lost() const {
  return hold_ != nullptr && (hold_->lost || platform::now() >= hold_->lease_end.load());
}

}  // namespace lockbench::services
