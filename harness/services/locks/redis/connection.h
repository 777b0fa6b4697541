// SPDX-License-Identifier: Apache-2.0

// Connection: requests to one Redis server, through hiredis.
//
// Guarantees   A request returns an answer of the server or throws ServiceError. A connection that
//              was lost, for example because the server was restarted, is replaced once, and the
//              request is sent again.
// Requires     a request that is sent twice has the effect of one.
// fork()       closing a connection in a child leaves that of the parent open.
#pragma once

#include <chrono>
#include <cstdint>
#include <hiredis/hiredis.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/services/locks/address.h"
#include "harness/services/locks/connection_pool.h"

namespace lockbench::services {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// The words of a request.
using Words = std::vector<std::string_view>;

class Connection {
 public:
  using Address = services::Address;
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

  // From the return of listen() on, messages to this connection's channel, which is `prefix` and
  // listener(), are kept for await_message(). A request only at first, and after the connection
  // was lost. Throws ServiceError.
  void listen(std::string_view prefix);
  const std::string& listener() const { return listener_; }

  // Waits for the message `text` until the deadline; leaves out others. False: there was none.
  // Throws ServiceError if the connection is lost: messages may then have been missed.
  bool await_message(std::string_view text, Clock::time_point deadline);

  // The next use connects anew.
  void close() { context_.reset(); }

 private:
  struct Close {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  void connect(std::chrono::milliseconds patience = kPatience);
  void authenticate_and_check_version();
  bool write(const Words& words);
  bool receive_some();
  Reply await_reply();
  Reply try_request(const Words& words);
  Reply read(Clock::time_point deadline);
  [[noreturn]] void refuse(const std::string& why) const;

  Address address_;
  RequestCounts& counts_;
  bool connected_before_ = false;
  std::string listener_;  // of context_; empty: it does not listen
  std::unique_ptr<redisContext, Close> context_;
};

using RedisPool = ConnectionPool<Connection>;

std::string text_of(const redisReply& reply);

// A section of the server's INFO, and the number after a name in it; 0 if it has none.
std::string info_of(Connection& connection, std::string_view section);
double number_in(std::string_view info, std::string_view name);

}  // namespace lockbench::services
