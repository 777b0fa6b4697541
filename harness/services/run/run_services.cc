// SPDX-License-Identifier: Apache-2.0

#include "harness/services/run/run_services.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/base/nearest.h"
#include "harness/base/printable.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/child.h"
#include "harness/bench/plan/spelling.h"
#include "harness/process/signals.h"
#include "harness/services/servers/private_service.h"

namespace lockbench {
namespace {

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
    if (service_kind(name) == nullptr) {
      std::vector<std::string> names;
      for (const ServiceKind& kind : service_kinds()) names.emplace_back(kind.name);
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
          service_variable(name) + " to " + name + "://user:password@host:port");
    }
    setenv(service_variable(name).c_str(), text.c_str() + equals + 1, 1);
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

// A private cluster has one size. (Servers that know nothing of each other are used as far as each
// primitive needs them.)
absl::Status check_clusters(const std::string& service, const std::vector<Trial>& trials) {
  const ServiceKind* const kind = service_kind(service);
  if (kind == nullptr || !kind->clusters) return absl::OkStatus();
  std::set<std::uint64_t> sizes;
  for (const Trial& trial : trials) {
    const ServiceNeed need = Catalog::standard().service_of(trial.cell.primitive);
    if (need.service == service) sizes.insert(need.servers);
  }
  if (sizes.size() < 2) return absl::OkStatus();
  return refuse(absl::StrCat(
      service, ": the plan has primitives with members=", absl::StrJoin(sizes, " and members="),
      "; a run has one cluster, so measure each in a run of its own"));
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

struct PrivateServers final : RunServers {
  std::vector<std::unique_ptr<PrivateServer>> servers;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunServers>> start_run_services(
    const std::vector<Trial>& trials, const std::vector<std::string>& named) {
  const std::map<std::string, std::uint64_t> servers = needed(trials);
  if (absl::Status status = take_named(named, servers); !status.ok()) return status;
  auto started_here = std::make_unique<PrivateServers>();
  for (const auto& [service, count] : servers) {
    const char* const address = std::getenv(service_variable(service).c_str());
    if (address != nullptr && *address != '\0') continue;
    if (absl::Status status = check_clusters(service, trials); !status.ok()) return status;
    note_signals();
    absl::StatusOr<std::vector<PrivateService>> started = start_services(service, count);
    if (absl::IsCancelled(started.status())) return started.status();
    if (!started.ok() && service_kind(service) == nullptr) return started.status();
    if (!started.ok()) {
      return refuse(absl::StrCat(started.status().message(), ", or name a server by --service ",
                                 service, "=HOST:PORT"));
    }
    std::vector<std::string> addresses;
    for (PrivateService& one : *started) {
      addresses.push_back(one.address(one.server->address()));
      started_here->servers.push_back(std::move(one.server));
    }
    setenv(service_variable(service).c_str(), absl::StrJoin(addresses, ",").c_str(), 1);
  }
  if (absl::Status status = try_each(trials); !status.ok()) return status;
  return started_here;
}

}  // namespace lockbench
