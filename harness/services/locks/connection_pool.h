// SPDX-License-Identifier: Apache-2.0

// ConnectionPool: the connections of a lock to one server, and the counts of what they asked.
//
// Guarantees   take() returns a connection that nobody else has. Counts are of all processes that
//              were forked after the pool was made.
// Requires     `Connection(address, counts)`, which connects when it is used first; the destructor
//              of a connection leaves that of a parent process as it is.
// fork()       a child has connections of its own; those of its parent are not used in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "primitives/platform/shared_array.h"
#include "primitives/service.h"

namespace lockbench::services {

// Counts of the requests to servers.
struct RequestCounts {
  std::atomic<std::uint64_t> acquisitions{0};
  std::atomic<std::uint64_t> round_trips{0};
  std::atomic<std::uint64_t> bytes_sent{0};
  std::atomic<std::uint64_t> bytes_received{0};
  std::atomic<std::uint64_t> reconnects{0};
  std::atomic<std::uint64_t> renewals{0};
};
using SharedCounts = platform::SharedObject<RequestCounts>;

// As ServiceUse has them, without the server's time.
inline ServiceUse use_of(const RequestCounts& counts) {
  return {.acquisitions = counts.acquisitions,
          .round_trips = counts.round_trips,
          .bytes_sent = counts.bytes_sent,
          .bytes_received = counts.bytes_received,
          .reconnects = counts.reconnects,
          .renewals = counts.renewals};
}

inline void add_to(std::atomic<std::uint64_t>& count, std::uint64_t more) {
  // relaxed: a count, read when all is over.
  count.fetch_add(more, std::memory_order_relaxed);
}

template <class Connection>
class ConnectionPool {
 public:
  using Address = typename Connection::Address;

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

  Lease take() {
    std::scoped_lock guard(mutex_);
    if (process_ != getpid()) {
      idle_.clear();  // the parent's
      process_ = getpid();
    }
    if (idle_.empty()) return {*this, std::make_unique<Connection>(address_, counts_)};
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    return {*this, std::move(connection)};
  }

 private:
  void put_back(std::unique_ptr<Connection> connection) {
    std::scoped_lock guard(mutex_);
    idle_.push_back(std::move(connection));
  }

  const Address address_;
  RequestCounts& counts_;
  std::mutex mutex_;  // guards idle_ and process_
  std::vector<std::unique_ptr<Connection>> idle_;
  pid_t process_;  // whose connections `idle_` has
};

}  // namespace lockbench::services
