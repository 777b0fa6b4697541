// SPDX-License-Identifier: Apache-2.0

// The plug-in redis.so: locks at Redis servers.
#include <chrono>
#include <lockbench/plugin.h>
#include <memory>
#include <vector>

#include "harness/services/locks/address.h"
#include "harness/services/locks/redis/as_published.h"
#include "harness/services/locks/redis/redis_lock.h"
#include "harness/services/locks/redis/redlock.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using lockbench::Number;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr char kService[] = "redis";

const Number kLease{"lease_ms", 10'000, 5, 3'600'000, "a hold that is not renewed ends then"};

std::unique_ptr<RedisLock> make_lock(const Arguments& with) {
  return std::make_unique<RedisLock>(addresses_of(kService).front(),
                                     RedisLockSettings{.lease = milliseconds(with["lease_ms"]),
                                                       .poll = milliseconds(with["poll_ms"]),
                                                       .renews = with["renew"] != 0});
}

std::unique_ptr<RedisSemaphore> make_semaphore(const Arguments& with) {
  return std::make_unique<RedisSemaphore>(
      addresses_of(kService).front(),
      RedisLockSettings{.lease = milliseconds(with["lease_ms"]),
                        .poll = milliseconds(with["poll_ms"]),
                        .capacity = static_cast<std::uint32_t>(with["capacity"])});
}

std::unique_ptr<RedisAsPublished> make_as_published(const Arguments& with) {
  return std::make_unique<RedisAsPublished>(
      addresses_of(kService).front(), AsPublishedSettings{.expiry = milliseconds(with["lease_ms"]),
                                                          .poll = microseconds(with["poll_us"])});
}

std::unique_ptr<Redlock> make_redlock(const Arguments& with) {
  std::vector<Address> addresses = addresses_of(kService, with["nodes"]);
  addresses.resize(with["nodes"]);
  return std::make_unique<Redlock>(addresses,
                                   RedlockSettings{.lease = milliseconds(with["lease_ms"]),
                                                   .retry = milliseconds(with["retry_ms"])});
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_line(lockbench::Line<RedisLock>{
      {.name = "redis",
       .summary = "a key with a random value and a lease, wake-up by messages",
       .origin = "Redis's manual",
       .numbers = {kLease,
                   {"poll_ms", 1'000, 1, 60'000, "the longest wait without a message"},
                   {"renew", 1, 0, 1, "1: leases are extended while keys are held"}},
       .service = kService},
      make_lock});
  locks.add_stress_line(lockbench::Line<RedisSemaphore>{
      {.name = "redis_semaphore",
       .summary = "a sorted set of holders with leases, wake-up by messages",
       .origin = "Redis's manual",
       .numbers = {kLease,
                   {"poll_ms", 1'000, 1, 60'000, "the longest wait without a message"},
                   {"capacity", 2, 2, 10'000, "holders of a key at once"}},
       .service = kService},
      make_semaphore});
  locks.add_line(lockbench::Line<Redlock>{
      {.name = "redlock",
       .summary = "a key with a random value and a lease at more than half of the servers",
       .origin = "Redis's manual",
       .numbers = {kLease,
                   {.parameter = "nodes",
                    .usual = 3,
                    .least = 3,
                    .most = 9,
                    .meaning = "servers",
                    .servers = true},
                   {"retry_ms", 20, 1, 60'000, "the longest random time between two tries"}},
       .service = kService},
      make_redlock});
  locks.add_line(lockbench::Line<RedisAsPublished>{
      {.name = "redis_as_published",
       .summary = "SETNX, then an expiry; unlock deletes whatever is there",
       .origin = "tutorials",
       .numbers = {kLease, {"poll_us", 1'000, 1, 1'000'000, "how often a waiting client asks"}},
       .service = kService},
      make_as_published});
}
