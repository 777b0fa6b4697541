// SPDX-License-Identifier: Apache-2.0

#include "harness/command/stress/page.h"

#include <cstddef>

#include <nlohmann/json.hpp>

#include "harness/process/page_script.h"
#include "harness/stress/oracles/failure.h"

namespace lockbench {

std::string stress_page_json(const std::vector<stress::Report>& reports,
                             const std::string& machine) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const stress::Report& report : reports) all.push_back(Json::parse(to_json(report)));
  Json oracles = Json::object();
  for (std::size_t i = 0; i < stress::kOracles; ++i) {
    const auto oracle = static_cast<stress::Oracle>(i);
    oracles[std::string(name_of(oracle))] = std::string(description_of(oracle));
  }
  const Json json = {{"machine", machine}, {"oracles", oracles}, {"reports", all}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::Status write_stress_page(const std::vector<stress::Report>& reports,
                               const std::string& machine, const std::filesystem::path& file) {
  return write_page("scripts/stress_report.py", stress_page_json(reports, machine), file);
}

}  // namespace lockbench
