// SPDX-License-Identifier: Apache-2.0

// PrivateService: which services lockbench can start a private server of, and how.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/services/servers/private_server.h"

namespace lockbench {

// The storage of a server's data. Disks are never waited for.
enum class ServerData : std::uint8_t {
  kInMemory,  // as fast as it can be, if the service can do without files
  kKept,      // it has all that it confirmed when its process was killed and is started again
};

// The form of a client's session at the server, if an administrator can end it.
enum class SessionKind : std::uint8_t {
  kConnection,  // nothing but that
  kProcess,     // a child of the server's process
  kLease,       // of etcd
};

struct ServerSettings {
  std::uint16_t port = 0;
  std::string folder;
  std::string password;
  ServerData data = ServerData::kInMemory;
  ClusterMember member;
};

struct ServiceKind {
  std::string_view name;
  const char* package;  // Debian's
  ServerProgram (*program)(const ServerSettings& settings);
  // How clients reach it. `host_and_port`: host and port.
  std::string (*address)(const std::string& host_and_port, const std::string& password);
  // The folder of its data, in that of the server. A server that is killed and started without it
  // has forgotten everything. Empty: it cannot be started so.
  std::string_view data_folder;
  SessionKind sessions;
  bool clusters = false;  // several servers are one cluster, and else know nothing of each other
};

std::span<const ServiceKind> service_kinds();

// nullptr: there is none of this name.
const ServiceKind* service_kind(std::string_view name);

// The environment variable with the addresses of its servers: LOCKBENCH_REDIS.
std::string service_variable(const std::string& service);

struct PrivateService {
  std::unique_ptr<PrivateServer> server;
  const ServiceKind* kind;
  std::string password;

  // How clients reach it. `host_and_port`: host and port of the server, or of a proxy before it.
  std::string address(const std::string& host_and_port) const {
    return kind->address(host_and_port, password);
  }
};

struct ServerOptions {
  ServerData data = ServerData::kInMemory;
  // If not empty: the library by which each server has a clock of its own (server_clock.h).
  std::string clock_library{};
  // The hosts of the members of a cluster; empty: this process's.
  std::vector<ServerHost> hosts{};
};

// As many servers of a service: the members of one cluster, if it has clusters. InvalidArgument if
// lockbench cannot start them: why, and what would be right. Cancelled if a signal was noted.
absl::StatusOr<std::vector<PrivateService>> start_services(const std::string& service,
                                                           std::uint64_t count,
                                                           const ServerOptions& options = {});

}  // namespace lockbench
