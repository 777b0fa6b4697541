// SPDX-License-Identifier: Apache-2.0

// RedisAsPublished: the lock at a Redis server that many tutorials show, with its mistakes.
//
// lock() sets the key by SETNX and then gives it an expiry by a second request; a client that is
// killed between the two leaves the key locked for good. unlock() deletes the key without looking
// whose it is: a client that was stopped for longer than the expiry deletes the key of the next
// holder, and a third one enters. Nothing renews the expiry, and there are no tokens.
//
// Guarantees   one holder of a key if every hold is shorter than the expiry and no client dies.
// Not offered  wake-ups: a client that waits asks again and again.
// Requires     the rules of primitives/service.h.
//              A request whose answer was lost is sent again: the client may then wait for itself.
// Source       the pattern is older than `SET key value NX PX`; the page of the command SETNX in
//              Redis's manual warns of it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/services/locks/redis/redis_server.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"

namespace lockbench::services {

struct AsPublishedSettings {
  std::chrono::milliseconds expiry{10'000};
  std::chrono::microseconds poll{1'000};
};

class RedisAsPublished {
 public:
  static constexpr Promises kPromises = kServicePromises;

  class Handle : public ServiceMembers<Handle> {
   public:
    Handle(RedisAsPublished& lock, std::string name) : lock_(lock), name_(std::move(name)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void unlock() { lock_.release(name_); }

    // It does not know.
    bool lost() const { return false; }

   private:
    friend ServiceMembers<Handle>;
    TryReason acquire(bool waits, platform::Time deadline) {
      return lock_.acquire(name_, waits, deadline);
    }

    RedisAsPublished& lock_;
    const std::string name_;
  };

  // Throws ServiceError.
  RedisAsPublished(const Address& address, AsPublishedSettings settings)
      : settings_(settings), expiry_ms_(std::to_string(settings.expiry.count())), server_(address) {
    server_.check();
  }

  Handle handle(std::uint64_t key) { return {*this, server_.name_of(std::to_string(key))}; }
  Handle handle(std::string_view key) { return {*this, server_.name_of(key)}; }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // of this process
  ServiceUse service_use() { return server_.use(); }

 private:
  TryReason acquire(const std::string& name, bool waits, platform::Time deadline);
  void release(const std::string& name);

  const AsPublishedSettings settings_;
  const std::string expiry_ms_;
  RedisServer server_;
};

}  // namespace lockbench::services
