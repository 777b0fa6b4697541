// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_servers.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "harness/bench/catalog/catalog.h"

namespace lockbench {
namespace {

StartServers& offered() {
  static StartServers start = nullptr;
  return start;
}

// For a program without locks at servers.
absl::Status check_none_needed(const std::vector<Trial>& trials,
                               const std::vector<std::string>& named) {
  if (!named.empty()) {
    return absl::InvalidArgumentError(
        "--service: this lockbench was built without locks at servers; leave it out");
  }
  for (const Trial& trial : trials) {
    const std::string service = Catalog::standard().service_of(trial.cell.primitive).service;
    if (service.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "'", trial.cell.primitive.name, "' needs a server of ", service,
        ", and this lockbench was built without locks at servers; leave the primitive out"));
  }
  return absl::OkStatus();
}

}  // namespace

void offer_servers(StartServers start) {
  offered() = start;
}

absl::StatusOr<std::unique_ptr<RunServers>> start_servers(const std::vector<Trial>& trials,
                                                          const std::vector<std::string>& named) {
  if (offered() != nullptr) return offered()(trials, named);
  if (absl::Status none = check_none_needed(trials, named); !none.ok()) return none;
  return nullptr;
}

}  // namespace lockbench
