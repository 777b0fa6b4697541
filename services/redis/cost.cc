// SPDX-License-Identifier: Apache-2.0

// redis-lock-cost: what RedisLock adds to the requests that it sends (services/cost.h).
//
//   LOCKBENCH_REDIS=127.0.0.1:6379 redis-lock-cost [BLOCKS]
#include "services/cost.h"

#include <string>

#include "services/redis/lock_scripts.h"
#include "services/redis/redis_lock.h"

namespace lockbench::services {
namespace {

// hiredis, and nothing else.
class Bare {
 public:
  Bare(const Address& address, Connection& connection)
      : context_(redisConnect(address.host.c_str(), address.port)),
        acquire_(acquire_script().hash_at(connection)),
        release_(release_script().hash_at(connection)) {
    if (context_ == nullptr || context_->err != 0) throw ServiceError("cannot connect");
  }
  ~Bare() { redisFree(context_); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void acquire() {
    send({"EVALSHA", acquire_.c_str(), "3", kKey, kToken, kQueue, kValue, "10000", "leave", "1"});
  }
  void release() { send({"EVALSHA", release_.c_str(), "2", kKey, kQueue, kValue}); }

 private:
  // As long as those of the lock.
  static constexpr const char* kKey = "lockbench:0123456789abcdefghijkl:{1}";
  static constexpr const char* kToken = "lockbench:0123456789abcdefghijkl:{1}:t";
  static constexpr const char* kQueue = "lockbench:0123456789abcdefghijkl:{1}:q";
  static constexpr const char* kValue = "0123456789abcdefghijkl";

  template <std::size_t N>
  void send(const char* const (&words)[N]) {
    auto* const reply = static_cast<redisReply*>(
        redisCommandArgv(context_, N, const_cast<const char**>(words), nullptr));
    const bool sound = reply != nullptr && reply->type == REDIS_REPLY_INTEGER;
    if (reply != nullptr) freeReplyObject(reply);
    if (!sound) throw ServiceError("no answer to a bare request");
  }

  redisContext* const context_;
  const std::string acquire_;
  const std::string release_;
};

void run(int blocks) {
  const Address address = addresses_of("redis").front();
  RedisLock lock(address, {});
  RequestCounts counts;
  Connection connection(address, counts);
  Bare bare(address, connection);
  CostOfLock(lock, bare).measure(blocks);
}

}  // namespace
}  // namespace lockbench::services

int main(int argc, char** argv) {
  return lockbench::services::cost_main("redis-lock-cost", argc, argv, lockbench::services::run);
}
