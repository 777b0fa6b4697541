// SPDX-License-Identifier: Apache-2.0

#include "harness/services/servers/private_service.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include "harness/services/servers/server_clock.h"

namespace lockbench {
namespace {

// Nothing is read from the system's configuration.
ServerProgram redis_program(const ServerSettings& settings) {
  ServerProgram program{.words = {"redis-server", "--port", std::to_string(settings.port), "--bind",
                                  "127.0.0.1", "--save", "", "--dir", settings.folder,
                                  "--daemonize", "no", "--appendonly"}};
  if (settings.data == ServerData::kInMemory) {
    program.words.emplace_back("no");
  } else {
    // It answers when the kernel has what was written, which outlives the process.
    program.words.insert(program.words.end(), {"yes", "--appendfsync", "no"});
  }
  return program;
}

// The address of a server without accounts.
std::string address_alone(const std::string& host_and_port, const std::string& /*password*/) {
  return host_and_port;
}

// Debian keeps the programs off the PATH, each version by itself.
std::string postgresql_path(const std::string& program) {
  std::error_code none;
  std::pair<int, std::string> newest{0, program};
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    const std::string path = (version.path() / "bin" / program).string();
    int number = 0;
    if (access(path.c_str(), X_OK) != 0) continue;
    if (!absl::SimpleAtoi(version.path().filename().string(), &number)) continue;
    newest = std::max(newest, std::pair(number, path));
  }
  return newest.second;
}

// Its first account may do everything, so it has a password, which only the clients know. It does
// not wait for disks.
ServerProgram postgresql_program(const ServerSettings& settings) {
  const std::string secret = settings.folder + "/password";
  std::ofstream(secret) << settings.password << '\n';
  const std::string data = settings.folder + "/data";
  return {
      .words = {postgresql_path("postgres"), "-D", data, "-p", std::to_string(settings.port), "-c",
                "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off",
                "-c", "max_connections=500", "-c", "dynamic_shared_memory_type=mmap"},
      .prepare = {postgresql_path("initdb"), "-D", data, "--username=lockbench",
                  "--pwfile=" + secret, "--auth=scram-sha-256", "--no-locale", "--encoding=UTF8",
                  "--no-sync"},
      .ready = "ready to accept connections",
      .account = "postgres",
      .end_signal = SIGINT};  // SIGTERM would wait for its clients
}

std::string postgresql_address(const std::string& host_and_port, const std::string& password) {
  return "postgresql://lockbench:" + password + "@" + host_and_port + "/postgres";
}

// A server alone is a member of no cluster but its own, which elects itself at once. Leases may be
// as short as a second: they last for at least 1.5 times the election timeout, in whole seconds.
// Members of a cluster wait for longer, so that a busy machine seldom makes them elect a leader.
ServerProgram etcd_program(const ServerSettings& settings) {
  const auto url = [](const ServerHost& host, std::uint16_t port) {
    return absl::StrCat("http://", host.text(), ":", port);
  };
  const std::string clients = url(settings.member.host(), settings.port);
  const bool alone = settings.member.peers.empty();
  std::vector<std::string> peers;
  for (const Peer& peer : settings.member.peers) peers.push_back(url(peer.host, peer.messages));
  if (alone) peers.push_back(url({}, 0));  // whichever is free: there are none
  std::string cluster;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    absl::StrAppend(&cluster, i == 0 ? "" : ",", "member", i, "=", peers[i]);
  }
  const std::string& own = peers[settings.member.number];
  return {.words = {"etcd", absl::StrCat("--name=member", settings.member.number),
                    "--data-dir=" + settings.folder + "/data", "--listen-client-urls=" + clients,
                    "--advertise-client-urls=" + clients, "--listen-peer-urls=" + own,
                    "--initial-advertise-peer-urls=" + own, "--initial-cluster=" + cluster,
                    alone ? "--heartbeat-interval=10" : "--heartbeat-interval=50",
                    alone ? "--election-timeout=100" : "--election-timeout=500",
                    "--unsafe-no-fsync", "--logger=zap"},
          .ready = "serving client traffic insecurely"};
}

// The settings that a member of an ensemble has besides: a number from 1 on, and the others' ports.
// It gives its leader up when it has heard nothing for ten ticks.
std::string ensemble_settings(const ServerSettings& settings) {
  std::filesystem::create_directory(settings.folder + "/data");
  std::ofstream(settings.folder + "/data/myid") << settings.member.number + 1 << '\n';
  std::string text = "initLimit=100\nsyncLimit=10\n";
  for (std::size_t i = 0; i < settings.member.peers.size(); ++i) {
    const Peer& peer = settings.member.peers[i];
    absl::StrAppend(&text, "server.", i + 1, "=", peer.host.text(), ":", peer.messages, ":",
                    peer.elections, "\n");
  }
  return text;
}

// It counts the time of sessions in ticks. Nothing is read from the system's configuration, and
// only warnings are printed, and what says that it serves: the port takes connections long before.
ServerProgram zookeeper_program(const ServerSettings& settings) {
  const bool alone = settings.member.peers.empty();
  const std::string file = settings.folder + "/zoo.cfg";
  std::ofstream(file) << "clientPortAddress=" << settings.member.host().text()
                      << "\nclientPort=" << settings.port << "\ndataDir=" << settings.folder
                      << "/data\ntickTime=100\nmaxClientCnxns=0\n"
                      << "minSessionTimeout=200\nmaxSessionTimeout=60000\n"
                      << (alone ? "" : ensemble_settings(settings));
  const std::string server = "org.apache.zookeeper.server.";
  const std::string telling = server + (alone ? "ContainerManager" : "quorum.QuorumPeer");
  return {.words = {"java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                    "-Dorg.slf4j.simpleLogger.log." + telling + "=info", "-Dzookeeper.forceSync=no",
                    "-Dzookeeper.preAllocSize=4096", "-Dzookeeper.admin.enableServer=false", "-cp",
                    "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar",
                    server + (alone ? "ZooKeeperServerMain" : "quorum.QuorumPeerMain"), file},
          .ready = alone ? "checkIntervalMs" : "- broadcast"};
}

constexpr ServiceKind kKinds[] = {
    {"etcd", "etcd-server", etcd_program, address_alone, "data", SessionKind::kLease, true},
    {"postgresql", "postgresql", postgresql_program, postgresql_address, "", SessionKind::kProcess},
    {"redis", "redis-server", redis_program, address_alone, "appendonlydir",
     SessionKind::kConnection},
    {"zookeeper", "libzookeeper-java and default-jre-headless", zookeeper_program, address_alone,
     "data", SessionKind::kConnection, true}};

using ServerList = std::vector<std::unique_ptr<PrivateServer>>;

absl::StatusOr<ServerList> start_all(const ServiceKind& kind, std::uint64_t count,
                                     std::vector<ServerHost> hosts,
                                     const PrivateServer::MakeProgram& program) {
  if (kind.clusters && count > 1) {
    hosts.resize(count);
    return PrivateServer::start_cluster(hosts, program);
  }
  ServerList servers;
  while (servers.size() < count) {
    absl::StatusOr<std::unique_ptr<PrivateServer>> server = PrivateServer::start(program);
    if (!server.ok()) return server.status();
    servers.push_back(*std::move(server));
  }
  return servers;
}

std::string random_password() {
  std::random_device random;
  std::string password;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&password, absl::Hex(random(), absl::kZeroPad8));
  return password;
}

}  // namespace

std::span<const ServiceKind> service_kinds() {
  return kKinds;
}

const ServiceKind* service_kind(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kKinds), std::end(kKinds),
                   [&](const ServiceKind& kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string service_variable(const std::string& service) {
  return "LOCKBENCH_" + absl::AsciiStrToUpper(service);
}

absl::StatusOr<std::vector<PrivateService>> start_services(const std::string& service,
                                                           std::uint64_t count,
                                                           const ServerOptions& options) {
  const ServiceKind* const kind = service_kind(service);
  if (kind == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(service, ": lockbench cannot start a server of it; name a server by ",
                     service_variable(service)));
  }
  const std::string password = random_password();
  const auto program = [&](std::uint16_t port, const std::string& folder,
                           const ClusterMember& member) {
    ServerProgram made = kind->program({.port = port,
                                        .folder = folder,
                                        .password = password,
                                        .data = options.data,
                                        .member = member});
    if (!options.clock_library.empty()) {
      made.environment = clock_environment(options.clock_library, folder);
    }
    return made;
  };
  absl::StatusOr<ServerList> servers = start_all(*kind, count, options.hosts, program);
  if (absl::IsCancelled(servers.status())) return servers.status();
  if (!servers.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        service, ": the private server ", servers.status().message(), "; install ", kind->package));
  }
  std::vector<PrivateService> started;
  for (std::unique_ptr<PrivateServer>& server : *servers) {
    started.push_back({.server = std::move(server), .kind = kind, .password = password});
  }
  return started;
}

}  // namespace lockbench
