// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_servers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/child.h"
#include "harness/bench/plan/spelling.h"
#include "harness/process/command_programs.h"
#include "harness/process/line_process.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

using Json = nlohmann::json;

// A cluster of servers takes some seconds to start; a machine may do much else.
constexpr std::chrono::minutes kStartWithin{3};
constexpr std::chrono::seconds kEndWithin{30};

absl::Status refuse(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// How many servers each primitive of the trials needs, by the service.
std::map<std::string, std::set<std::uint64_t>> sizes_needed(const std::vector<Trial>& trials) {
  std::map<std::string, std::set<std::uint64_t>> sizes;
  for (const Trial& trial : trials) {
    const ServiceNeed need = Catalog::standard().service_of(trial.cell.primitive);
    if (!need.service.empty()) sizes[need.service].insert(need.servers);
  }
  return sizes;
}

std::optional<Addition> starter_of_servers() {
  for (Addition& addition : additions_to("run")) {
    if (addition.what.value("servers", false)) return std::move(addition);
  }
  return std::nullopt;
}

// Without a program that starts servers.
absl::Status check_none_needed(const std::map<std::string, std::set<std::uint64_t>>& sizes,
                               const std::vector<std::string>& named) {
  if (!named.empty()) {
    return refuse(
        "--service: no program here starts servers; leave it out, or build or install all "
        "of lockbench");
  }
  if (sizes.empty()) return absl::OkStatus();
  return refuse(absl::StrCat("the plan has locks at servers of ", sizes.begin()->first,
                             ", and no program here starts servers; leave them out, or build or "
                             "install all of lockbench"));
}

// Makes the primitive of the trial in a process of its own.
absl::Status try_out(const Trial& trial) {
  const absl::StatusOr<ChildResult> result = run_trial_child(trial_program(), trial, {"--try"});
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kInterrupted) return absl::CancelledError("interrupted");
  if (result->ending == ChildEnding::kEnded && result->status == 0) return absl::OkStatus();
  if (const auto complaint = complaint_of(*result, "lockbench trial: ")) return refuse(*complaint);
  return refuse(end_text("the process that tried it", *result));
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

std::string request(const std::map<std::string, std::set<std::uint64_t>>& sizes,
                    const std::vector<std::string>& named) {
  Json needed = Json::object();
  for (const auto& [service, all] : sizes) {
    needed[service] = {{"servers", *all.rbegin()}, {"sizes", all}};
  }
  return Json{{"needed", needed}, {"named", named}}.dump(-1, ' ', false,
                                                         Json::error_handler_t::replace);
}

struct ServersOfProgram final : RunServers {
  explicit ServersOfProgram(LineProcess started) : program(std::move(started)) {}
  LineProcess program;
};

absl::StatusOr<std::unique_ptr<RunServers>> start_by(const CommandProgram& program,
                                                     const std::string& wanted) {
  note_signals();
  absl::StatusOr<LineProcess> started =
      LineProcess::start({program.file.string(), "serve", wanted}, kEndWithin);
  if (!started.ok()) return started.status();
  const absl::StatusOr<std::string> line = started->ask(kStartWithin);
  if (!line.ok()) {
    return absl::Status(line.status().code(),
                        absl::StrCat(program.name, ": ", line.status().message()));
  }
  const Json answer = Json::parse(*line, nullptr, false);
  if (!answer.is_object()) return refuse(program.name + ": its answer is no JSON");
  if (answer.contains("error")) return refuse(answer.value("error", ""));
  const Json environment = answer.value("environment", Json::object());
  for (const auto& [name, value] : environment.items()) {
    if (value.is_string()) setenv(name.c_str(), value.get<std::string>().c_str(), 1);
  }
  return std::make_unique<ServersOfProgram>(*std::move(started));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunServers>> start_servers(const std::vector<Trial>& trials,
                                                          const std::vector<std::string>& named) {
  const std::map<std::string, std::set<std::uint64_t>> sizes = sizes_needed(trials);
  if (sizes.empty() && named.empty()) return nullptr;
  const std::optional<Addition> starter = starter_of_servers();
  if (!starter) return check_none_needed(sizes, named);
  absl::StatusOr<std::unique_ptr<RunServers>> servers =
      start_by(*starter->program, request(sizes, named));
  if (!servers.ok()) return servers;
  if (absl::Status status = try_each(trials); !status.ok()) return status;
  return servers;
}

}  // namespace lockbench
