// SPDX-License-Identifier: Apache-2.0

// The plug-in broken_redis.so: locks at a Redis server, each with one fault that an oracle of the
// engine `services` must report.
#include <lockbench/plugin.h>
#include <memory>
#include <string>
#include <thread>

#include "harness/services/locks/redis/redis_lock.h"
#include "harness/services/locks/redis/redis_server.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using lockbench::ServiceUse;
using lockbench::TryReason;
using lockbench::TryResult;
namespace platform = lockbench::platform;

enum class BrokenBy {
  kUnlockNotComparing,  // unlock() deletes the key of whoever has it
  kNoExpiry,            // the key of a client that died stays for good
  kSameToken,           // every hold has the same token
  kIdleOwner,           // unlock() marks the key as free, and try_lock() does not know the mark
  kCheckThenSet,        // sees that the key is free, and then takes it from whoever was faster
};

// The key has the value of its holder, or `free`.
template <BrokenBy kFault>
class BrokenRedis {
 public:
  static constexpr lockbench::Promises kPromises = kServicePromises;
  static constexpr bool kTokens = kFault == BrokenBy::kSameToken ||
                                  kFault == BrokenBy::kIdleOwner ||
                                  kFault == BrokenBy::kCheckThenSet;

  class Handle {
   public:
    Handle(BrokenRedis& lock, std::string name)
        : lock_(lock), name_(std::move(name)), value_(random_value()) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { try_until(true, platform::kForever); }
    TryResult try_lock() { return guarded(false, {}); }
    TryResult try_lock_for(std::chrono::nanoseconds timeout) {
      return guarded(true, platform::deadline_after(timeout));
    }
    TryResult try_lock_until(platform::Time deadline) { return guarded(true, deadline); }
    void unlock() {
      try {
        lock_.release(name_, value_);
      } catch (const lockbench::ServiceError&) {
        // unlock() reports nothing.
      }
    }
    bool lost() const { return false; }
    std::uint64_t token() const requires kTokens { return token_; }

   private:
    static std::string random_value() { return new_prefix(); }

    TryResult guarded(bool waits, platform::Time deadline) {
      try {
        return try_until(waits, deadline);
      } catch (const lockbench::ServiceError&) {
        return TryReason::kServiceLost;
      }
    }

    TryReason try_until(bool waits, platform::Time deadline) {
      while (!lock_.acquire(name_, value_, waits, token_)) {
        if (!waits) return TryReason::kHeld;
        if (platform::now() >= deadline) return TryReason::kTimedOut;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return TryReason::kAcquired;
    }

    BrokenRedis& lock_;
    const std::string name_;
    const std::string value_;
    std::uint64_t token_ = 0;
  };

  BrokenRedis(const Address& address, std::uint64_t lease_ms)
      : lease_ms_(std::to_string(lease_ms)), server_(address) {
    server_.check();
  }

  Handle handle(std::uint64_t key) { return {*this, server_.name_of(std::to_string(key))}; }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }
  ServiceUse service_use() { return server_.use(); }

 private:
  bool acquire(const std::string& name, const std::string& value, bool waits,
               std::uint64_t& token) {
    const RedisPool::Lease connection = server_.connection();
    if (kFault == BrokenBy::kIdleOwner && waits) {
      connection->request(
          {"EVAL", "if redis.call('GET', KEYS[1]) == 'free' then redis.call('DEL', KEYS[1]) end",
           "1", name});
    }
    if (kFault == BrokenBy::kCheckThenSet) {
      if (connection->request({"GET", name})->type != REDIS_REPLY_NIL) return false;
      connection->request({"SET", name, value, "PX", lease_ms_});
      token = next_token(*connection, name);
      return true;
    }
    const bool expires = kFault != BrokenBy::kNoExpiry;
    const Reply reply = expires ? connection->request({"SET", name, value, "NX", "PX", lease_ms_})
                                : connection->request({"SET", name, value, "NX"});
    if (reply->type != REDIS_REPLY_STATUS) return false;
    token = 1;
    if (kFault == BrokenBy::kIdleOwner) token = next_token(*connection, name);
    return true;
  }

  static std::uint64_t next_token(Connection& connection, const std::string& name) {
    return static_cast<std::uint64_t>(connection.request({"INCR", name + ":token"})->integer);
  }

  void release(const std::string& name, const std::string& value) {
    const RedisPool::Lease connection = server_.connection();
    if (kFault == BrokenBy::kUnlockNotComparing) {
      connection->request({"DEL", name});
      return;
    }
    const char* const script =
        kFault == BrokenBy::kIdleOwner
            ? "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], 'free') end"
            : "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end";
    connection->request({"EVAL", script, "1", name, value});
  }

  const std::string lease_ms_;
  RedisServer server_;
};

// Promises a capacity of one less than it has.
class OneTooMany : public RedisSemaphore {
 public:
  using RedisSemaphore::RedisSemaphore;
  std::uint32_t capacity() const { return RedisSemaphore::capacity() - 1; }
};

std::unique_ptr<OneTooMany> make_one_too_many(const Arguments& with) {
  return std::make_unique<OneTooMany>(
      addresses_of("redis").front(),
      RedisLockSettings{.lease = std::chrono::milliseconds(with["lease_ms"]),
                        .capacity = static_cast<std::uint32_t>(with["capacity"]) + 1});
}

template <BrokenBy kFault>
std::unique_ptr<BrokenRedis<kFault>> make(const Arguments& with) {
  return std::make_unique<BrokenRedis<kFault>>(addresses_of("redis").front(), with["lease_ms"]);
}

template <BrokenBy kFault>
void add(lockbench::PluginLocks& locks, const char* name) {
  locks.add_line(lockbench::Line<BrokenRedis<kFault>>{
      {.name = name,
       .summary = "broken on purpose",
       .origin = "tests",
       .numbers = {{"lease_ms", 10'000, 5, 3'600'000, "a hold ends then"}},
       .service = "redis"},
      make<kFault>});
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  add<BrokenBy::kUnlockNotComparing>(locks, "unlock_not_comparing");
  add<BrokenBy::kNoExpiry>(locks, "no_expiry");
  add<BrokenBy::kSameToken>(locks, "same_token");
  add<BrokenBy::kIdleOwner>(locks, "idle_owner");
  add<BrokenBy::kCheckThenSet>(locks, "check_then_set");
  locks.add_stress_line(lockbench::Line<OneTooMany>{
      {.name = "one_too_many",
       .summary = "broken on purpose",
       .origin = "tests",
       .numbers = {{"lease_ms", 10'000, 5, 3'600'000, "a hold ends then"},
                   {"capacity", 2, 2, 10'000, "holders of a key at once"}},
       .service = "redis"},
      make_one_too_many});
}
