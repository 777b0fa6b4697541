// SPDX-License-Identifier: Apache-2.0

// Connection and ConnectionPool: requests to one Redis server, through hiredis.
//
// Guarantees   A request returns an answer of the server or throws ServiceError. A connection that
//              was lost, for example because the server was restarted, is replaced once, and the
//              request is sent again. Counts are of all processes that were forked after the pool
//              was made.
// Requires     a request that is sent twice has the effect of one.
// fork()       a child has connections of its own; those of its parent are not used in it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <hiredis/hiredis.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "primitives/platform/shared_array.h"
#include "services/address.h"

namespace lockbench::services {

// What was asked of servers.
struct RequestCounts {
  std::atomic<std::uint64_t> acquisitions{0};
  std::atomic<std::uint64_t> round_trips{0};
  std::atomic<std::uint64_t> reconnects{0};
  std::atomic<std::uint64_t> renewals{0};
};
using SharedCounts = platform::SharedObject<RequestCounts>;

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// The words of a request.
using Words = std::vector<std::string_view>;

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  // An answer that takes longer counts as none.
  static constexpr std::chrono::seconds kPatience{2};

  // Connects when the first request is sent.
  Connection(const Address& address, RequestCounts& counts) : address_(address), counts_(counts) {}

  // Throws ServiceError if there is no answer or the answer is an error, unless it begins with
  // `allowed_error`.
  Reply request(const Words& words, std::string_view allowed_error = {});

  // Two halves of a request to several servers at once. send() throws nothing, and connects for at
  // most `patience` if it must; receive() returns nullptr if there is no answer until the deadline.
  void send(const Words& words, std::chrono::milliseconds patience = kPatience);
  Reply receive(Clock::time_point deadline);

  // From the return of subscribe() on, messages of the channel are kept for await_message(). Throws
  // ServiceError.
  void subscribe(std::string_view channel);
  void unsubscribe();

  // Waits for a message of the subscription until the deadline. False: there was none. Throws
  // ServiceError if the connection is lost: messages may then have been missed.
  bool await_message(Clock::time_point deadline);

 private:
  struct Close {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  void connect(std::chrono::milliseconds patience = kPatience);
  void authenticate_and_check_version();
  Reply try_request(const Words& words);
  Reply read(Clock::time_point deadline);
  [[noreturn]] void refuse(const std::string& why) const;

  Address address_;
  RequestCounts& counts_;
  bool connected_before_ = false;
  std::unique_ptr<redisContext, Close> context_;
};

class ConnectionPool {
 public:
  ConnectionPool(Address address, RequestCounts& counts)
      : address_(std::move(address)), counts_(counts), process_(getpid()) {}

  // A connection that returns to the pool when it is destroyed.
  class Lease {
   public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = default;
    ~Lease() {
      if (connection_ != nullptr) pool_->put_back(std::move(connection_));
    }
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  Lease take();

 private:
  void put_back(std::unique_ptr<Connection> connection);

  const Address address_;
  RequestCounts& counts_;
  std::mutex mutex_;  // guards idle_ and process_
  std::vector<std::unique_ptr<Connection>> idle_;
  pid_t process_;  // whose connections `idle_` has
};

std::string text_of(const redisReply& reply);

// A section of the server's INFO, and the number after a name in it; 0 if it has none.
std::string info_of(Connection& connection, std::string_view section);
double number_in(std::string_view info, std::string_view name);

}  // namespace lockbench::services
