// SPDX-License-Identifier: Apache-2.0

// Servers: private servers of one service with a proxy before them, and what can be done to them.
// Several servers are one cluster if the service has clusters. The proxies are between clients and
// servers; the members of a cluster reach each other without them, over a VirtualNetwork if there
// is one.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/services/engine/fault.h"
#include "harness/services/engine/proxy.h"
#include "harness/services/servers/private_service.h"

namespace lockbench::stress::services {

// True if clocks of its servers can be stepped, if the library for that is there.
bool has_clocks(std::string_view service);

class Servers {
 public:
  // Names them to the locks of this process, in the environment. Fails as start_service() does.
  // What the faults of these kinds need is started, too, as far as the service can have it.
  // `virtual_network`: with network namespaces; otherwise over the loopback interface.
  static absl::StatusOr<std::unique_ptr<Servers>> start(const std::string& service,
                                                        std::uint32_t count,
                                                        const std::vector<FaultKind>& faults,
                                                        bool virtual_network);

  std::uint32_t count() const { return static_cast<std::uint32_t>(services_.size()); }
  bool is_cluster() const { return count() > 1 && services_.front().kind->clusters; }
  // True if the service has what this fault needs, and was started with it.
  bool can(FaultKind kind) const;
  // The member of a cluster that leads it, if one says so. Waits 200 ms for each that is stopped.
  std::optional<std::uint32_t> leader() const;

  // A server is its process and that of each session.
  void pause(std::uint32_t server) const;
  void resume(std::uint32_t server) const;
  void kill(std::uint32_t server);
  // Starts a server that was killed. Internal if it does not become ready. For a member of a
  // cluster await_all() waits: it may need others that are to be started later.
  absl::Status restart(std::uint32_t server, bool with_data);
  // Until all members of a cluster have been ready since they were started.
  absl::Status await_all() const;
  // A failover to a replica that lags: what the server confirms from detach_replica() on is lost
  // when fail_over() kills it and lets the replica serve. The server then becomes its replica.
  void detach_replica(std::uint32_t server) const;
  absl::Status fail_over(std::uint32_t server);
  // Its clock is that of the machine and so much more, or less.
  void set_clock(std::uint32_t server, std::chrono::milliseconds offset) const;
  // Which packets between a member of a cluster and the others are lost.
  struct Parting {
    bool sent = false;      // by the member
    bool received = false;  // sent to it
  };
  void part_member(std::uint32_t member, const Parting& lost) const;
  // Ends one session, as an administrator does. False: there is none.
  bool end_session(std::uint32_t server, std::uint64_t draw) const;

  Proxy& network() { return *proxy_; }
  bool has_packets() const { return network_ != nullptr; }

 private:
  Servers() = default;

  PrivateServer& at(std::uint32_t server) const { return *services_[server].server; }
  void signal_all(std::uint32_t server, int signal) const;

  std::unique_ptr<VirtualNetwork> network_;
  std::vector<PrivateService> services_;
  std::vector<PrivateService> replicas_;  // of each of them, or none
  bool have_clocks_ = false;              // of their own
  std::unique_ptr<Proxy> proxy_;
};

}  // namespace lockbench::stress::services
