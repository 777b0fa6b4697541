// SPDX-License-Identifier: Apache-2.0

// ZooKeeperSession: a session at a ZooKeeper server or ensemble, which one claim at a time has.
//
// ZooKeeper's library keeps the session: it sends heartbeats, and connects again, to another server
// if there are several. A connection may be lost while the session goes on, and then nobody knows
// which of the requests that had no answer were carried out; who asked finds out, or ends the
// session.
//
// Guarantees   A request returns what a server answered, or that the connection or the session was
//              lost. What is sent together arrives in this order.
// fork()       a child that drops the session of its parent leaves it as it is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>
#include <zookeeper/zookeeper.h>

#include "harness/services/locks/address.h"
#include "harness/services/locks/connection_pool.h"
#include "primitives/platform/clock.h"

namespace lockbench::services {

struct ZooKeeperAddress {
  std::vector<Address> members;       // of one ensemble
  std::chrono::milliseconds timeout;  // of sessions, asked for; a server has its own limits
  // After a lost connection, a claim looks whether its node was made (claim.h). Otherwise it makes
  // another one, as clients do that know nothing of the recipe's note.
  bool finds_lost_nodes = true;
};

// The answer to a request.
struct ZooKeeperAnswer {
  int code = ZOK;                  // one of ZOO_ERRORS
  std::string name;                // of the node that was made
  std::vector<std::string> names;  // of the children of a node
  std::uint64_t made_ms = 0;       // when that node was made, by the server's clock

  // True if it is not known whether the request was carried out.
  bool is_in_doubt() const {
    return code == ZCONNECTIONLOSS || code == ZOPERATIONTIMEOUT || code == ZSESSIONMOVED;
  }
  bool is_end_of_session() const {
    return code == ZSESSIONEXPIRED || code == ZINVALIDSTATE || code == ZCLOSING;
  }
};

class ZooKeeperSession {
 public:
  using Address = ZooKeeperAddress;

  // A server is waited for so long, and for the first connection.
  static constexpr std::chrono::seconds kPatience{2};
  static constexpr std::chrono::seconds kFirstPatience{5};

  // Connects when open() is called.
  ZooKeeperSession(const Address& address, RequestCounts& counts)
      : address_(address), counts_(counts) {}
  ~ZooKeeperSession() { end(); }
  ZooKeeperSession(const ZooKeeperSession&) = delete;
  ZooKeeperSession& operator=(const ZooKeeperSession&) = delete;

  // Returns with a session that goes on and has a connection, a new one if need be. Throws
  // ServiceError.
  void open();
  // After a connection was lost: returns true when there is one again, false if the session has
  // ended. Throws ServiceError.
  bool reopen();
  // Ends the session, and with it the nodes that it has; if no server can be reached, the server
  // ends it after the timeout.
  void end();

  // The session has ended, or no server was heard of for as long as it lasts.
  bool is_over() const;

  // ---- requests, each one round trip. Only if the session is open.

  // A node that the server removes when its last child has gone.
  ZooKeeperAnswer make_container(const std::string& path);
  // A node that ends with the session, whose name is `begin` and a number; and the children of its
  // parent after that. Sent together.
  std::pair<ZooKeeperAnswer, ZooKeeperAnswer> enter(const std::string& begin,
                                                    const std::string& parent);
  // The children of a node. A server may lag behind another one to which this session was connected
  // before; the latest children are those with all that was carried out there.
  ZooKeeperAnswer list(const std::string& path);
  ZooKeeperAnswer list_latest(const std::string& path);
  ZooKeeperAnswer remove(const std::string& path);
  std::vector<ZooKeeperAnswer> remove_all(const std::vector<std::string>& paths);
  // Asks whether there is a node. If so, its end is an event.
  ZooKeeperAnswer watch(const std::string& path);

  // How many events there were. They also come when a connection or the session ends.
  std::uint64_t events() const;
  // Until there were more events than `before`, or the deadline.
  void await_event(std::uint64_t before, platform::Time deadline);

  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse(int code) const;

 private:
  class Batch;

  static void on_event(zhandle_t* handle, int type, int state, const char* path, void* session);
  void note_event(int type, int state);
  void begin();
  void refuse_without_majority() const;
  bool has_account() const {
    return !address_.members.front().user.empty() || !address_.members.front().password.empty();
  }
  const ACL_vector* rights() const;

  const Address address_;
  RequestCounts& counts_;
  zhandle_t* handle_ = nullptr;  // nullptr: there is no session
  pid_t process_ = 0;            // whose session it is

  mutable std::mutex mutex_;  // guards what follows, which the library's threads write
  std::condition_variable changed_;
  std::uint64_t events_ = 0;
  bool connected_ = false;
  bool ended_ = false;
  bool connected_before_ = false;
  platform::Time disconnected_{};      // since when, if not connected
  std::chrono::milliseconds lasts_{};  // the session, without a heartbeat
};

using ZooKeeperSessions = ConnectionPool<ZooKeeperSession>;

}  // namespace lockbench::services
