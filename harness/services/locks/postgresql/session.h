// SPDX-License-Identifier: Apache-2.0

// Session: requests to one PostgreSQL server, through libpq.
//
// Guarantees   A request returns what the server answered or throws ServiceError. A session that
//              was lost is replaced once, if the caller lets it, and the request is sent again.
//              After any error but a lock that was not available, the session is closed, so that it
//              holds nothing at the server.
// fork()       closing a session in a child leaves that of the parent open.
#pragma once

#include <chrono>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

#include "harness/services/locks/connection_pool.h"

namespace lockbench::services {

// Where a session connects to, and what it says to the server first.
struct SessionAddress {
  std::string text;   // as libpq takes it; may have a password
  std::string setup;  // statements, or empty
};

// The text that libpq takes, from an address as users write it. Throws ServiceError if it is none.
std::string libpq_address(const std::string& given);

class Session {
 public:
  using Address = SessionAddress;
  using Clock = std::chrono::steady_clock;

  // An answer that takes longer than it may counts as none.
  static constexpr std::chrono::seconds kPatience{2};

  // The reaction of a client if the session turns out to be lost.
  enum class IfLost { kAskAgain, kFail };

  struct Answer {
    bool unavailable = false;  // others hold the lock, and the statement did not wait longer
    int rows = 0;
    std::string value{};  // the first of the first row
    std::string done{};   // the command that the server completed, as `COMMIT`
  };

  // Connects when the first request is sent.
  Session(const Address& address, RequestCounts& counts) : address_(address), counts_(counts) {}
  ~Session() { close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The answer to the last of these statements. `longest`: how long the server may wait for locks.
  Answer request(const std::string& statements, IfLost if_lost = IfLost::kAskAgain,
                 std::chrono::milliseconds longest = {});

  // The same of the prepared statement `name` with one value, which is less work for the server
  // than EXECUTE in a text.
  Answer execute(const std::string& name, const std::string& value,
                 IfLost if_lost = IfLost::kAskAgain, std::chrono::milliseconds longest = {});

  // The server has closed the session, as far as this machine knows. Asks nobody.
  bool is_lost() const;

  // Ends the session, and with it what it holds.
  void close();

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;

  // Statements, or a prepared one's name and its value.
  struct Request {
    const std::string& text;
    const std::string* value = nullptr;
  };

  void connect();
  void set_up();
  Answer answer_to(const Request& request, IfLost if_lost, std::chrono::milliseconds longest);
  bool send(const Request& request);
  Result try_request(const Request& request, Clock::time_point deadline);
  bool await_result(Clock::time_point deadline);
  std::string last_error() const;
  [[noreturn]] void refuse(const std::string& why) const;

  Address address_;
  RequestCounts& counts_;
  std::string where_;  // host and port, when it was connected once
  PGconn* connection_ = nullptr;
  pid_t process_ = -1;  // that made `connection_`
};

using SessionPool = ConnectionPool<Session>;

}  // namespace lockbench::services
