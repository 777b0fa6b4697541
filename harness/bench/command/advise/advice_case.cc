// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/advice_case.h"

#include <algorithm>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/base/core_kind_name.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/plan/core_pinning.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kAllCores = "all";

void add_work(Json& json, const std::string& name, const Work& work) {
  json[name + "_kind"] = to_text(work.kind);
  json[name + "_ns"] = work.duration.count();
  json[name + "_lines"] = work.lines;
}

std::string pinning_to(std::string_view kind) {
  return std::string(kKindPrefix).append(kind);
}

// The cell in words, without its primitive.
std::string asked_text(const AdviceCase& wanted) {
  Cell cell = wanted.cell;
  cell.pinning = "none";
  const std::string where = wanted.cores.empty() ? "" : ", on " + wanted.cores + " cores";
  return describe(cell).substr(2) + where;
}

}  // namespace

absl::StatusOr<std::string> parse_cores(std::string_view text) {
  if (text == kAllCores) return "";
  if (is_core_kind_name(text)) return std::string(text);
  return absl::InvalidArgumentError(absl::StrFormat(
      "'%s' names no cores; write all, fast or slow (of three kinds also middle)", text));
}

void run_on(const std::string& cores, AdviceCase& wanted) {
  wanted.cores = cores;
  wanted.cell.pinning = cores.empty() ? "none" : pinning_to(cores);
}

absl::Status check_cores(const AdviceCase& wanted, const std::vector<std::string>& kinds,
                         std::string_view whose) {
  if (wanted.cores.empty()) return absl::OkStatus();
  if (kinds.empty()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--cores %s: the usable cores of %s are of one kind; leave out --cores",
                        wanted.cores, whose));
  }
  if (std::find(kinds.begin(), kinds.end(), wanted.cores) != kinds.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("--cores %s: the usable cores of %s are %s; say one of them, or all",
                      wanted.cores, whose, absl::StrJoin(kinds, " and ")));
}

std::string case_json(const AdviceCase& wanted) {
  const Cell& cell = wanted.cell;
  Json json{{"threads", cell.threads},
            {"keys", cell.keys},
            {"asked", asked_text(wanted)},
            {"workload", cell.workload.name},
            {"scenario", cell.workload.scenario},
            {"mode", to_text(wanted.wait_limit ? Mode::kOpen : cell.mode)},
            {"key_type", to_text(cell.key_type)},
            {"key_distribution", to_text(cell.key_distribution)},
            {"fair", wanted.fair}};
  add_work(json, "hold", cell.hold);
  add_work(json, "think", cell.think);
  if (wanted.memory_bytes) json["memory_bytes"] = *wanted.memory_bytes;
  if (cell.load) json["load"] = cell.load->share;
  if (const auto rate = rate_of(wanted)) json["rate_per_s"] = *rate;
  if (cell.write_share) json["write_share"] = *cell.write_share;
  if (cell.timeout != Nanoseconds{0}) json["timeout_ns"] = cell.timeout.count();
  if (wanted.kind == QuestionKind::kCapacity) json["capacity"] = wanted.capacity;
  if (wanted.wait_limit) json["wait_limit_ns"] = wanted.wait_limit->count();
  if (!wanted.cores.empty()) json["cores"] = wanted.cores;
  // Cells answer whatever their load.
  json["any_load"] = !wanted.when && !wanted.think && !rate_of(wanted) && wanted.loads.size() != 1;
  if (!wanted.services.empty()) json["across_machines"] = true;
  if (wanted.when && wanted.beats) {
    json["when"] = to_text(*wanted.when);
    json["beats"] = to_text(*wanted.beats);
  }
  Json& descriptions = json["descriptions"] = Json::object();
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    // If several entries share a name, the first one counts.
    descriptions.emplace(entry.listing.name, entry.listing.summary);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockbench
