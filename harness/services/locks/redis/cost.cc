// SPDX-License-Identifier: Apache-2.0

// redis-lock-cost: what RedisLock adds to the requests that it sends
// (harness/services/locks/cost.h).
//
//   LOCKBENCH_REDIS=127.0.0.1:6379 redis-lock-cost [BLOCKS]
#include "harness/services/locks/cost.h"

#include <initializer_list>
#include <string>

#include "harness/services/locks/random_text.h"
#include "harness/services/locks/redis/lock_scripts.h"
#include "harness/services/locks/redis/redis_lock.h"

namespace lockbench::services {
namespace {

// hiredis, and nothing else.
class BareConnection {
 public:
  explicit BareConnection(const Address& address)
      : context_(redisConnect(address.host.c_str(), address.port)) {
    if (context_ == nullptr || context_->err != 0) throw ServiceError("cannot connect");
  }
  ~BareConnection() { redisFree(context_); }
  BareConnection(const BareConnection&) = delete;
  BareConnection& operator=(const BareConnection&) = delete;

  long long number(std::initializer_list<const char*> words) {
    return checked(redisCommandArgv(context_, static_cast<int>(words.size()),
                                    const_cast<const char**>(words.begin()), nullptr),
                   REDIS_REPLY_INTEGER);
  }
  void subscribe(const std::string& channel) {
    checked(redisCommand(context_, "SUBSCRIBE %s", channel.c_str()), REDIS_REPLY_ARRAY);
  }
  void await_message() {
    void* message = nullptr;
    redisGetReply(context_, &message);
    checked(message, REDIS_REPLY_ARRAY);
  }

 private:
  static long long checked(void* answer, int type) {
    auto* const reply = static_cast<redisReply*>(answer);
    const bool sound = reply != nullptr && reply->type == type;
    const long long value = sound ? reply->integer : 0;
    if (reply != nullptr) freeReplyObject(reply);
    if (!sound) throw ServiceError("no answer to a bare request");
    return value;
  }

  redisContext* const context_;
};

// The requests of the lock, with names and values that are as long.
class Bare {
 public:
  Bare(const Address& address, Connection& connection)
      : address_(address),
        connection_(address),
        acquire_(acquire_script().hash_at(connection)),
        release_(release_script().hash_at(connection)) {}

  void acquire() { acquire(connection_, "1", kText, "leave", ""); }
  void release() { release(connection_, "1", kText); }

  // Waits as the lock does: in the queue, for a message. It leaves nothing out but what goes wrong.
  class Client {
   public:
    explicit Client(Bare& bare) : bare_(bare), requests_(bare.address_), messages_(bare.address_) {
      messages_.subscribe(kPrefix + std::string(kChannels) + listener_);
    }

    void lock() {
      for (const char* if_held = "tail";; if_held = "head") {
        if (bare_.acquire(requests_, "2", value_.c_str(), if_held, listener_.c_str()) > 0) return;
        messages_.await_message();
      }
    }
    void unlock() { bare_.release(requests_, "2", value_.c_str()); }

   private:
    Bare& bare_;
    BareConnection requests_;
    BareConnection messages_;
    const std::string value_ = short_random_text();
    const std::string listener_ = short_random_text();
  };

 private:
  static constexpr const char* kText = "0123456789abcdefghijkl";
  static constexpr char kPrefix[] = "lockbench:0123456789abcdefghijkl:";

  long long acquire(BareConnection& connection, const char* key, const char* value,
                    const char* if_held, const char* listener) {
    const std::string name = kPrefix + ("{" + std::string(key) + "}");
    return connection.number({"EVALSHA", acquire_.c_str(), "3", name.c_str(), (name + ":t").c_str(),
                              (name + ":q").c_str(), value, "10000", if_held, "1", listener});
  }
  void release(BareConnection& connection, const char* key, const char* value) {
    const std::string name = kPrefix + ("{" + std::string(key) + "}");
    connection.number(
        {"EVALSHA", release_.c_str(), "2", name.c_str(), (name + ":q").c_str(), value});
  }

  const Address address_;
  BareConnection connection_;
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
