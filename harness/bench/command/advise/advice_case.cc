// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/advice_case.h"

#include <nlohmann/json.hpp>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using Json = nlohmann::ordered_json;

void add_work(Json& json, const std::string& name, const Work& work) {
  json[name + "_kind"] = to_text(work.kind);
  json[name + "_ns"] = work.duration.count();
  json[name + "_lines"] = work.lines;
}

}  // namespace

std::string case_json(const AdviceCase& wanted) {
  const Cell& cell = wanted.cell;
  Json json{{"threads", cell.threads},
            {"keys", cell.keys},
            {"asked", describe(cell).substr(2)},  // without the empty primitive
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
