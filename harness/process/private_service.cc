// SPDX-License-Identifier: Apache-2.0

#include "harness/process/private_service.h"

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

namespace lockbench {
namespace {

// Nothing is read from the system's configuration.
ServerProgram redis_program(std::uint16_t port, const std::string& folder,
                            const std::string& /*password*/, ServerData data) {
  ServerProgram program{.words = {"redis-server", "--port", std::to_string(port), "--bind",
                                  "127.0.0.1", "--save", "", "--dir", folder, "--daemonize", "no",
                                  "--appendonly"}};
  if (data == ServerData::kInMemory) {
    program.words.emplace_back("no");
  } else {
    // It answers when the kernel has what was written, which outlives the process.
    program.words.insert(program.words.end(), {"yes", "--appendfsync", "no"});
  }
  return program;
}

// Of a server without accounts.
std::string place_alone(const std::string& place, const std::string& /*password*/) {
  return place;
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
ServerProgram postgresql_program(std::uint16_t port, const std::string& folder,
                                 const std::string& password, ServerData /*data*/) {
  const std::string secret = folder + "/password";
  std::ofstream(secret) << password << '\n';
  const std::string data = folder + "/data";
  return {
      .words = {postgresql_path("postgres"), "-D", data, "-p", std::to_string(port), "-c",
                "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off",
                "-c", "max_connections=500", "-c", "dynamic_shared_memory_type=mmap"},
      .prepare = {postgresql_path("initdb"), "-D", data, "--username=lockbench",
                  "--pwfile=" + secret, "--auth=scram-sha-256", "--no-locale", "--encoding=UTF8",
                  "--no-sync"},
      .ready = "ready to accept connections",
      .account = "postgres",
      .end_signal = SIGINT};  // SIGTERM would wait for its clients
}

std::string postgresql_address(const std::string& place, const std::string& password) {
  return "postgresql://lockbench:" + password + "@" + place + "/postgres";
}

// A member of no cluster but its own, which elects itself at once. Leases may be as short as a
// second: they last for at least 1.5 times the election timeout, in whole seconds.
ServerProgram etcd_program(std::uint16_t port, const std::string& folder,
                           const std::string& /*password*/, ServerData /*data*/) {
  const std::string clients = absl::StrCat("http://127.0.0.1:", port);
  const std::string peers = "http://127.0.0.1:0";  // whichever is free: there are none
  return {.words = {"etcd", "--name=lockbench", "--data-dir=" + folder + "/data",
                    "--listen-client-urls=" + clients, "--advertise-client-urls=" + clients,
                    "--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers,
                    "--initial-cluster=lockbench=" + peers, "--heartbeat-interval=10",
                    "--election-timeout=100", "--unsafe-no-fsync", "--logger=zap"},
          .ready = "serving client traffic insecurely"};
}

// A server of no ensemble. It counts the time of sessions in ticks. Nothing is read from the
// system's configuration, and only warnings are printed.
ServerProgram zookeeper_program(std::uint16_t port, const std::string& folder,
                                const std::string& /*password*/, ServerData /*data*/) {
  const std::string settings = folder + "/zoo.cfg";
  std::ofstream(settings) << "clientPortAddress=127.0.0.1\nclientPort=" << port
                          << "\ndataDir=" << folder << "/data\ntickTime=100\nmaxClientCnxns=0\n"
                          << "minSessionTimeout=200\nmaxSessionTimeout=60000\n";
  return {
      .words = {"java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.ContainerManager=info",
                "-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=4096",
                "-Dzookeeper.admin.enableServer=false", "-cp",
                "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar",
                "org.apache.zookeeper.server.ZooKeeperServerMain", settings},
      // The port takes connections long before they are served.
      .ready = "checkIntervalMs"};
}

constexpr ServiceKind kKinds[] = {
    {"etcd", "etcd-server", etcd_program, place_alone, "data", SessionKind::kLease},
    {"postgresql", "postgresql", postgresql_program, postgresql_address, "", SessionKind::kProcess},
    {"redis", "redis-server", redis_program, place_alone, "appendonlydir",
     SessionKind::kConnection},
    {"zookeeper", "libzookeeper-java and default-jre-headless", zookeeper_program, place_alone,
     "data", SessionKind::kConnection}};

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

absl::StatusOr<PrivateService> start_service(const std::string& service, ServerData data) {
  PrivateService started{.server = nullptr, .kind = service_kind(service), .password = ""};
  if (started.kind == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(service, ": lockbench cannot start a server of it; name a server by ",
                     service_variable(service)));
  }
  started.password = random_password();
  absl::StatusOr<std::unique_ptr<PrivateServer>> server =
      PrivateServer::start([&](std::uint16_t port, const std::string& folder) {
        return started.kind->program(port, folder, started.password, data);
      });
  if (absl::IsCancelled(server.status())) return server.status();
  if (!server.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(service, ": the private server ",
                                                   server.status().message(), "; install ",
                                                   started.kind->package));
  }
  started.server = *std::move(server);
  return started;
}

}  // namespace lockbench
