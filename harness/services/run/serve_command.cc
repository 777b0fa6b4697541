// SPDX-License-Identifier: Apache-2.0

#include "harness/services/run/serve_command.h"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/base/exit_code.h"
#include "harness/base/nearest.h"
#include "harness/process/signals.h"
#include "harness/services/servers/private_service.h"

namespace lockbench {
namespace {

using Json = nlohmann::json;
using Environment = std::map<std::string, std::string>;

struct Need {
  std::uint64_t servers = 1;
  std::vector<std::uint64_t> sizes;  // of all primitives of the plan, each once
};

struct Request {
  std::map<std::string, Need> needed;  // by the service
  std::vector<std::string> named;      // NAME=HOST:PORT
};

absl::StatusOr<Request> parse(const std::string& text) {
  Request request;
  try {
    const Json json = Json::parse(text);
    for (const auto& [service, need] : json.at("needed").items()) {
      request.needed[service] = {.servers = need.at("servers").get<std::uint64_t>(),
                                 .sizes = need.at("sizes").get<std::vector<std::uint64_t>>()};
    }
    request.named = json.at("named").get<std::vector<std::string>>();
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("the request: ", error.what()));
  }
  return request;
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

// Writes the addresses of --service into the environment.
absl::Status take_named(const Request& request, Environment& environment) {
  for (const std::string& text : request.named) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == text.size()) {
      return refuse("--service: '" + text + "' is written NAME=HOST:PORT, as redis=localhost:6379");
    }
    if (service_kind(name) == nullptr) {
      std::vector<std::string> names;
      for (const ServiceKind& kind : service_kinds()) names.emplace_back(kind.name);
      return absl::InvalidArgumentError(
          absl::StrCat("--service: ", unknown_name("service", name, names).message()));
    }
    if (!request.needed.contains(name)) {
      return refuse(absl::StrCat("--service: no primitive of the plan is at ", name,
                                 "; leave it out, or name such a primitive and its --plugin"));
    }
    if (has_password(text)) {
      return refuse(
          "--service: has a password, and the command line is written to meta.json; set " +
          service_variable(name) + " to " + name + "://user:password@host:port");
    }
    environment[service_variable(name)] = text.substr(equals + 1);
  }
  return absl::OkStatus();
}

// A private cluster has one size. (Servers that know nothing of each other are used as far as each
// primitive needs them.)
absl::Status check_cluster(const std::string& service, const Need& need) {
  const ServiceKind* const kind = service_kind(service);
  if (kind == nullptr || !kind->clusters || need.sizes.size() < 2) return absl::OkStatus();
  return refuse(absl::StrCat(service, ": the plan has primitives with members=",
                             absl::StrJoin(need.sizes, " and members="),
                             "; a run has one cluster, so measure each in a run of its own"));
}

// Servers that are ended with this object, and their addresses.
struct Started {
  std::vector<std::unique_ptr<PrivateServer>> servers;
  Environment environment;
};

absl::StatusOr<std::string> start(const std::string& service, const Need& need, Started& started) {
  if (absl::Status status = check_cluster(service, need); !status.ok()) return status;
  absl::StatusOr<std::vector<PrivateService>> services = start_services(service, need.servers);
  if (absl::IsCancelled(services.status())) return services.status();
  if (!services.ok() && service_kind(service) == nullptr) return services.status();
  if (!services.ok()) {
    return refuse(absl::StrCat(services.status().message(), ", or name a server by --service ",
                               service, "=HOST:PORT"));
  }
  std::vector<std::string> addresses;
  for (PrivateService& one : *services) {
    addresses.push_back(one.address(one.server->address()));
    started.servers.push_back(std::move(one.server));
  }
  return absl::StrJoin(addresses, ",");
}

absl::StatusOr<Started> start_all(const Request& request) {
  Started started;
  if (absl::Status status = take_named(request, started.environment); !status.ok()) return status;
  for (const auto& [service, need] : request.needed) {
    const std::string variable = service_variable(service);
    const char* const address = std::getenv(variable.c_str());
    if (address != nullptr && *address != '\0') continue;
    if (started.environment.contains(variable)) continue;
    const absl::StatusOr<std::string> addresses = start(service, need, started);
    if (!addresses.ok()) return addresses.status();
    started.environment[variable] = *addresses;
  }
  return started;
}

int answer(const Json& line, int code) {
  std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  return code;
}

}  // namespace

int serve_command(const std::string& text) {
  note_signals();
  const absl::StatusOr<Request> request = parse(text);
  const absl::StatusOr<Started> started =
      request.ok() ? start_all(*request) : absl::StatusOr<Started>(request.status());
  if (!started.ok()) {
    return answer({{"error", std::string(started.status().message())}}, kCouldNotFinish);
  }
  answer({{"environment", started->environment}}, kSuccess);
  std::string line;
  while (noted_signal() == 0 && std::getline(std::cin, line)) continue;
  return kSuccess;
}

}  // namespace lockbench
