// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/redis/redlock.h"

#include <algorithm>
#include <random>
#include <thread>

#include "harness/services/locks/random_text.h"

namespace lockbench::services {
namespace {

constexpr std::string_view kRelease = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1]))";

// As the page has it: clocks may differ by a hundredth of the lease and 2 ms.
platform::Duration drift_of(std::chrono::milliseconds lease) {
  return platform::Duration(lease) / 100 + std::chrono::milliseconds(2);
}

// A server that does not answer must not use up the lease.
std::chrono::milliseconds patience_for(std::chrono::milliseconds lease) {
  return std::clamp(lease / 10, std::chrono::milliseconds(5), std::chrono::milliseconds(50));
}

platform::Duration random_up_to(platform::Duration most) {
  thread_local std::minstd_rand random{std::random_device()()};
  return platform::Duration(
      std::uniform_int_distribution<platform::Duration::rep>(0, most.count())(random));
}

bool is_yes(const redisReply& reply) {
  return reply.type == REDIS_REPLY_STATUS || (reply.type == REDIS_REPLY_INTEGER && reply.integer);
}

}  // namespace

Redlock::Redlock(const std::vector<Address>& addresses, RedlockSettings settings)
    : settings_(settings),
      lease_ms_(std::to_string(settings.lease.count())),
      patience_(patience_for(settings.lease)) {
  const std::string prefix = new_prefix();
  std::string first_error;
  std::size_t usable = 0;
  for (const Address& address : addresses) {
    servers_.push_back(std::make_unique<RedisServer>(address, prefix));
    try {
      servers_.back()->check();
      ++usable;
    } catch (const ServiceError& error) {
      if (first_error.empty()) first_error = error.what();
    }
  }
  if (usable >= majority()) return;
  throw ServiceError("redlock: " + std::to_string(usable) + " of " +
                     std::to_string(servers_.size()) + " servers can be used, and " +
                     std::to_string(majority()) + " are needed; " + first_error);
}

ServiceUse Redlock::service_use() {
  ServiceUse sum;
  for (const auto& server : servers_) {
    const ServiceUse use = server->use();
    sum.acquisitions += use.acquisitions;
    sum.round_trips += use.round_trips;
    sum.bytes_sent += use.bytes_sent;
    sum.bytes_received += use.bytes_received;
    sum.reconnects += use.reconnects;
    sum.server_cpu_s += use.server_cpu_s;
  }
  return sum;
}

Redlock::Votes Redlock::ask_all(const Words& words) {
  std::vector<RedisPool::Lease> connections;
  connections.reserve(servers_.size());
  for (const auto& server : servers_) {
    connections.push_back(server->connection());
    connections.back()->send(words, patience_);
  }
  const Connection::Clock::time_point deadline = Connection::Clock::now() + patience_;
  Votes votes;
  for (const RedisPool::Lease& connection : connections) {
    const Reply reply = connection->receive(deadline);
    if (reply == nullptr || reply->type == REDIS_REPLY_ERROR) continue;
    ++votes.answers;
    if (is_yes(*reply)) ++votes.yes;
  }
  return votes;
}

// kServiceLost: less than the majority of the servers answered.
TryReason Redlock::try_acquire(Handle& handle) {
  handle.value_ = short_random_text();
  const platform::Time asked = platform::now();
  const Votes votes = ask_all({"SET", handle.name_, handle.value_, "NX", "PX", lease_ms_});
  handle.lease_end_ = asked + settings_.lease - drift_of(settings_.lease);
  if (votes.yes >= majority() && !handle.lost()) {
    servers_.front()->counts().acquisitions.fetch_add(1, std::memory_order_relaxed);
    return TryReason::kAcquired;
  }
  release(handle);
  return votes.answers >= majority() ? TryReason::kHeld : TryReason::kServiceLost;
}

// A busy server may answer late once. If the majority does not answer for longer, the service is
// lost.
TryReason Redlock::acquire(Handle& handle, bool waits, platform::Time deadline) {
  platform::Time answered = platform::now();
  for (;;) {
    const TryReason reason = try_acquire(handle);
    if (reason == TryReason::kAcquired || !waits) return reason;
    const platform::Time now = platform::now();
    if (reason == TryReason::kHeld) answered = now;
    if (now >= deadline) {
      return now - answered <= Connection::kPatience ? TryReason::kTimedOut : reason;
    }
    if (now - answered > Connection::kPatience) refuse_minority();
    std::this_thread::sleep_until(std::min(deadline, now + random_up_to(settings_.retry)));
  }
}

void Redlock::refuse_minority() const {
  throw ServiceError("redlock: fewer than " + std::to_string(majority()) + " of " +
                     std::to_string(servers_.size()) + " servers answered within " +
                     std::to_string(patience_.count()) + " ms, for " +
                     std::to_string(Connection::kPatience.count()) +
                     " s; look at the servers' logs");
}

void Redlock::release(Handle& handle) {
  ask_all({"EVAL", kRelease, "1", handle.name_, handle.value_});
}

}  // namespace lockbench::services
