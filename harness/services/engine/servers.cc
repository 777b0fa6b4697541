// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/servers.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <sys/types.h>
#include <system_error>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/services/engine/one_answer.h"
#include "harness/services/servers/server_clock.h"

namespace lockbench::stress::services {
namespace {

namespace fs = std::filesystem;

std::string text_in(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::istringstream numbers(text_in("/proc/" + number + "/task/" + number + "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; numbers >> child;) children.push_back(child);
  return children;
}

// PostgreSQL names the processes of sessions after their clients' addresses.
bool is_of_session(pid_t process) {
  return absl::StrContains(text_in(absl::StrCat("/proc/", process, "/cmdline")), "127.0.0.1(");
}

// Those of Redis are asynchronous.
constexpr std::string_view kServiceWithReplicas = "redis";

// They ask the C library for the time of day. etcd asks the kernel.
constexpr std::string_view kServicesWithClocks[] = {"postgresql", "redis", "zookeeper"};

// A request in Redis's inline form. If the server does not take it, it stays what it is.
void order(const PrivateServer& server, const std::string& words) {
  answer_to(server.socket_address(), words + "\r\nQUIT\r\n");
}

void replicate(const PrivateServer& server, const PrivateServer& replica) {
  order(server, "CONFIG SET repl-diskless-sync-delay 0");
  order(replica, absl::StrCat("REPLICAOF 127.0.0.1 ", server.port()));
}

// InvalidArgument if namespaces cannot be made. `members`: of a cluster; 0: none.
absl::StatusOr<std::unique_ptr<VirtualNetwork>> network_for(std::uint32_t servers,
                                                            std::uint32_t members) {
  try {
    return std::make_unique<VirtualNetwork>(servers, members);
  } catch (const std::system_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("network: ", error.what(),
                     "; namespaces need root's rights and a kernel with TUN: say --network proxy"));
  }
}

absl::Status not_ready(const absl::Status& status) {
  return absl::InternalError(absl::StrCat("a server that was killed was not ready again: ",
                                          std::string(status.message())));
}

}  // namespace

bool has_clocks(std::string_view service) {
  return std::find(std::begin(kServicesWithClocks), std::end(kServicesWithClocks), service) !=
         std::end(kServicesWithClocks);
}

absl::StatusOr<std::unique_ptr<Servers>> Servers::start(const std::string& service,
                                                        std::uint32_t count,
                                                        const std::vector<FaultKind>& faults,
                                                        bool virtual_network) {
  std::unique_ptr<Servers> servers(new Servers);
  ServerOptions options{.data = ServerData::kKept};
  if (has_clocks(service) && std::any_of(faults.begin(), faults.end(), steps_clocks)) {
    options.clock_library = clock_library().value_or("");
    servers->have_clocks_ = !options.clock_library.empty();
  }
  if (virtual_network) {
    const ServiceKind* const kind = service_kind(service);
    const bool cluster = count > 1 && kind != nullptr && kind->clusters;
    auto network = network_for(count, cluster ? count : 0);
    if (!network.ok()) return network.status();
    servers->network_ = *std::move(network);
    for (std::uint32_t i = 0; i < servers->network_->members(); ++i) {
      options.hosts.push_back({.address = servers->network_->address(servers->network_->member(i)),
                               .network = servers->network_->namespace_of_member(i)});
    }
  }
  absl::StatusOr<std::vector<PrivateService>> started = start_services(service, count, options);
  if (!started.ok()) return started.status();
  servers->services_ = *std::move(started);
  const bool replicas =
      std::find(faults.begin(), faults.end(), FaultKind::kFailover) != faults.end();
  if (replicas && service == kServiceWithReplicas) {
    started = start_services(service, count, options);
    if (!started.ok()) return started.status();
    servers->replicas_ = *std::move(started);
  }
  std::vector<sockaddr_in> listening;
  for (std::uint32_t i = 0; i < count; ++i) {
    listening.push_back(servers->at(i).socket_address());
    if (!servers->replicas_.empty()) replicate(servers->at(i), *servers->replicas_[i].server);
  }
  try {
    servers->proxy_ = std::make_unique<Proxy>(listening, servers->network_.get());
  } catch (const std::system_error& error) {
    return absl::InternalError(error.what());
  }
  std::vector<std::string> addresses;
  addresses.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    addresses.push_back(servers->services_[i].address(servers->proxy_->address(i)));
  }
  setenv(service_variable(service).c_str(), absl::StrJoin(addresses, ",").c_str(), 1);
  return servers;
}

bool Servers::can(FaultKind kind) const {
  const ServiceKind& service = *services_.front().kind;
  // A member of a cluster that forgets its vote is none of its cluster any more.
  if (kind == FaultKind::kEmptyServer) return !service.data_folder.empty() && !is_cluster();
  if (needs_packets(kind)) {
    return has_packets() && (fault_of(kind).target != FaultTarget::kPeers || is_cluster());
  }
  if (kind == FaultKind::kKillLeader || kind == FaultKind::kLoseMajority) return is_cluster();
  if (kind == FaultKind::kFailover) return !replicas_.empty();
  // With one server, `clock_step` is all.
  if (kind == FaultKind::kClockStepMost && count() == 1) return false;
  if (steps_clocks(kind)) return have_clocks_;
  if (kind == FaultKind::kEndSession) return service.sessions != SessionKind::kConnection;
  return true;
}

std::optional<std::uint32_t> Servers::leader() const {
  for (std::uint32_t server = 0; server < count(); ++server) {
    const PrivateService& service = services_[server];
    if (service.server->process() > 0 &&
        leads_cluster(service.kind->name, at(server).socket_address())) {
      return server;
    }
  }
  return std::nullopt;
}

void Servers::signal_all(std::uint32_t server, int signal) const {
  const pid_t process = at(server).process();
  if (process <= 0) return;
  // The one that starts others comes first, so that no new one is missed.
  ::kill(process, signal);
  for (const pid_t child : children_of(process)) ::kill(child, signal);
}

void Servers::pause(std::uint32_t server) const {
  signal_all(server, SIGSTOP);
}

void Servers::resume(std::uint32_t server) const {
  signal_all(server, SIGCONT);
}

void Servers::kill(std::uint32_t server) {
  // The sessions first: when their parent is dead, nobody knows whose they were. One that begins
  // meanwhile ends by itself, because nothing stops it.
  const pid_t process = at(server).process();
  if (process <= 0) return;
  ::kill(process, SIGSTOP);
  for (const pid_t session : children_of(process)) ::kill(session, SIGKILL);
  at(server).end_by_kill();
}

absl::Status Servers::restart(std::uint32_t server, bool with_data) {
  if (!with_data) {
    std::error_code none;
    fs::remove_all(at(server).folder() + "/" + std::string(services_[server].kind->data_folder),
                   none);
  }
  const absl::Status status = is_cluster() ? at(server).relaunch() : at(server).restart();
  return status.ok() ? status : not_ready(status);
}

absl::Status Servers::await_all() const {
  if (!is_cluster()) return absl::OkStatus();
  for (std::uint32_t server = 0; server < count(); ++server) {
    const absl::Status status = at(server).await_relaunched();
    if (!status.ok()) return not_ready(status);
  }
  return absl::OkStatus();
}

void Servers::detach_replica(std::uint32_t server) const {
  // A replica of nobody that is there: it keeps what it has.
  order(*replicas_[server].server, "REPLICAOF 127.0.0.1 1");
}

absl::Status Servers::fail_over(std::uint32_t server) {
  kill(server);
  std::swap(services_[server], replicas_[server]);
  order(at(server), "REPLICAOF NO ONE");
  proxy_->redirect(server, at(server).port());
  PrivateServer& before = *replicas_[server].server;
  absl::Status status = before.restart();
  if (status.ok()) replicate(at(server), before);
  return status;
}

void Servers::set_clock(std::uint32_t server, std::chrono::milliseconds offset) const {
  set_server_clock(at(server).folder(), offset);
}

void Servers::part_member(std::uint32_t member, const Parting& lost) const {
  for (std::uint32_t other = 0; other < count(); ++other) {
    if (other == member) continue;
    const VirtualNetwork::Host one = network_->member(member);
    const VirtualNetwork::Host two = network_->member(other);
    network_->set(one, two, lost.sent ? kAllLost : PathFault());
    network_->set(two, one, lost.received ? kAllLost : PathFault());
  }
}

bool Servers::end_session(std::uint32_t server, std::uint64_t draw) const {
  if (services_[server].kind->sessions == SessionKind::kLease) {
    return revoke_lease(at(server).socket_address(), draw);
  }
  std::vector<pid_t> sessions = children_of(at(server).process());
  std::erase_if(sessions, [](pid_t process) { return !is_of_session(process); });
  if (sessions.empty()) return false;
  return ::kill(sessions[draw % sessions.size()], SIGTERM) == 0;
}

}  // namespace lockbench::stress::services
