// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/described_plugins.h"

#include <nlohmann/json.hpp>

#include "harness/bench/catalog/known_plugins.h"
#include "harness/process/command_programs.h"

namespace lockbench {
namespace {

KnownPlugins described_plugins() {
  KnownPlugins known;
  for (const Addition& addition : additions_to("plugins")) {
    for (const nlohmann::json& one : addition.what.value("plugins", nlohmann::json::array())) {
      known.plugins.push_back({.primitive = one.value("primitive", ""),
                               .file = one.value("file", ""),
                               .for_stress_alone = one.value("for_stress_alone", false)});
    }
    known.remedy = addition.what.value("remedy", "");
    known.help = addition.what.value("help", "");
  }
  return known;
}

}  // namespace

void offer_described_plugins() {
  offer_known_plugins(described_plugins);
}

}  // namespace lockbench
