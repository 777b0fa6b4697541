// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/services.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/catalog/catalog.h"
#include "harness/command/run/child.h"
#include "harness/plan/nearest.h"
#include "harness/plan/printable.h"
#include "harness/plan/spelling.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

// A service that lockbench can start a private server of.
struct Kind {
  std::string_view name;
  const char* package;  // Debian's
  ServerProgram (*program)(std::uint16_t port, const std::string& folder,
                           const std::string& password);
  // How the trials reach it. `place`: host and port.
  std::string (*address)(const std::string& place, const std::string& password);
};

// Nothing is kept on a disk, and nothing is read from the system's configuration.
ServerProgram redis_program(std::uint16_t port, const std::string& folder,
                            const std::string& /*password*/) {
  return {.words = {"redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1", "--save",
                    "", "--appendonly", "no", "--dir", folder, "--daemonize", "no"}};
}

std::string redis_address(const std::string& place, const std::string& /*password*/) {
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

// Its first account may do everything, so it has a password, which only the trials know. It does
// not wait for disks.
ServerProgram postgresql_program(std::uint16_t port, const std::string& folder,
                                 const std::string& password) {
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

constexpr Kind kKinds[] = {{"redis", "redis-server", redis_program, redis_address},
                           {"postgresql", "postgresql", postgresql_program, postgresql_address}};

std::string random_password() {
  std::random_device random;
  std::string password;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&password, absl::Hex(random(), absl::kZeroPad8));
  return password;
}

const Kind* kind_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [&](const Kind& kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string variable_of(const std::string& service) {
  return "LOCKBENCH_" + absl::AsciiStrToUpper(service);
}

absl::Status refuse(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// `name:password@host`, or a parameter of libpq, as `password=`.
bool has_password(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme != std::string_view::npos) text.remove_prefix(scheme + 3);
  const std::size_t account = text.rfind('@');
  return (account != std::string_view::npos && text.find(':') < account) ||
         text.find("password") != std::string_view::npos;
}

// Writes the addresses of --service into the environment. `needed`: as needed() returns it.
absl::Status take_named(const std::vector<std::string>& named,
                        const std::map<std::string, std::uint64_t>& needed) {
  for (const std::string& text : named) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == text.size()) {
      return refuse("--service: '" + text + "' is written NAME=HOST:PORT, as redis=localhost:6379");
    }
    if (kind_named(name) == nullptr) {
      std::vector<std::string> names;
      for (const Kind& kind : kKinds) names.emplace_back(kind.name);
      return absl::InvalidArgumentError(
          absl::StrCat("--service: ", unknown_name("service", name, names).message()));
    }
    if (!needed.contains(name)) {
      return refuse(absl::StrCat("--service: no primitive of the plan is at ", name,
                                 "; leave it out, or name such a primitive and its --plugin"));
    }
    if (has_password(text)) {
      return refuse(
          "--service: has a password, and the command line is written to meta.json; set " +
          variable_of(name) + " to " + name + "://user:password@host:port");
    }
    setenv(variable_of(name).c_str(), text.c_str() + equals + 1, 1);
  }
  return absl::OkStatus();
}

// How many servers of each service the trials need.
std::map<std::string, std::uint64_t> needed(const std::vector<Trial>& trials) {
  std::map<std::string, std::uint64_t> most;
  for (const Trial& trial : trials) {
    const ServiceNeed need = Catalog::standard().service_of(trial.cell.primitive);
    if (!need.service.empty()) {
      most[need.service] = std::max(most[need.service], need.servers);
    }
  }
  return most;
}

// A private server, and how the trials reach it.
struct Started {
  std::unique_ptr<PrivateServer> server;
  std::string address;
};

absl::StatusOr<Started> start_one(const std::string& service) {
  const Kind* const kind = kind_named(service);
  const std::string other = "; name a server by " + variable_of(service);
  if (kind == nullptr) return refuse(service + ": lockbench cannot start a server of it" + other);
  const std::string password = random_password();
  absl::StatusOr<std::unique_ptr<PrivateServer>> server =
      PrivateServer::start([&](std::uint16_t port, const std::string& folder) {
        return kind->program(port, folder, password);
      });
  if (server.ok()) {
    const std::string address = kind->address((*server)->address(), password);
    return Started{.server = *std::move(server), .address = address};
  }
  if (absl::IsCancelled(server.status())) return server.status();
  return refuse(absl::StrCat(service, ": the private server ", server.status().message(),
                             "; install ", kind->package, ", or name a server by --service ",
                             service, "=HOST:PORT"));
}

// Makes the primitive of the trial in a process of its own.
absl::Status try_out(const Trial& trial) {
  const absl::StatusOr<ChildResult> result = run_trial_child(kThisProgram, trial, {"--try"});
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kInterrupted) return absl::CancelledError("interrupted");
  if (result->ending == ChildEnding::kEnded && result->status == 0) return absl::OkStatus();
  const std::string prefix = "lockbench trial: ";
  std::string said = result->err.substr(0, result->err.find('\n'));
  if (!said.starts_with(prefix)) return refuse(end_text("the process that tried it", *result));
  return refuse(said.erase(0, prefix.size()));
}

absl::Status try_each(const std::vector<Trial>& trials) {
  std::set<std::string> tried;
  for (const Trial& trial : trials) {
    if (Catalog::standard().service_of(trial.cell.primitive).service.empty()) continue;
    if (!tried.insert(to_text(trial.cell.primitive)).second) continue;
    if (absl::Status status = try_out(trial); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunServices> RunServices::start(const std::vector<Trial>& trials,
                                               const std::vector<std::string>& named) {
  const std::map<std::string, std::uint64_t> servers = needed(trials);
  if (absl::Status status = take_named(named, servers); !status.ok()) return status;
  RunServices services;
  for (const auto& [service, count] : servers) {
    const char* const address = std::getenv(variable_of(service).c_str());
    if (address != nullptr && *address != '\0') continue;
    note_signals();
    std::vector<std::string> addresses;
    for (std::uint64_t i = 0; i < count; ++i) {
      absl::StatusOr<Started> started = start_one(service);
      if (!started.ok()) return started.status();
      addresses.push_back(started->address);
      services.servers_.push_back(std::move(started->server));
    }
    setenv(variable_of(service).c_str(), absl::StrJoin(addresses, ",").c_str(), 1);
  }
  if (absl::Status status = try_each(trials); !status.ok()) return status;
  return services;
}

}  // namespace lockbench
