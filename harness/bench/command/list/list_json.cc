// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/list/list_json.h"

#include <set>

#include <nlohmann/json.hpp>

#include "harness/bench/command/run/presets.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/target.h"

namespace lockbench {

namespace {

std::string name_of(const CatalogEntry& entry, const CatalogEntry& usual) {
  PrimitiveSpec spec{.name = entry.listing.name};
  for (std::size_t i = 0; i < entry.listing.choices.size(); ++i) {
    const Choice& choice = entry.listing.choices[i];
    if (choice != usual.listing.choices[i]) spec.parameters[choice.parameter] = choice.value;
  }
  return to_text(spec);
}

}  // namespace

std::vector<ListedPrimitive> listed_primitives(const Catalog& catalog) {
  std::vector<ListedPrimitive> listed;
  const CatalogEntry* usual = nullptr;
  for (const CatalogEntry& entry : catalog.entries()) {
    const bool first = usual == nullptr || usual->listing.name != entry.listing.name;
    if (first) usual = &entry;
    listed.push_back({.name = name_of(entry, *usual), .entry = &entry, .usual = first});
  }
  return listed;
}

absl::StatusOr<std::vector<ListedPreset>> listed_presets() {
  const absl::StatusOr<std::vector<std::string>> names = preset_names();
  if (!names.ok()) return names.status();
  std::vector<ListedPreset> listed;
  for (const std::string& name : *names) listed.push_back({name, load_preset(name)});
  return listed;
}

namespace {

using Json = nlohmann::ordered_json;

Json numbers_of(const Listing& listing) {
  Json numbers = Json::array();
  for (const Number& number : listing.numbers) {
    numbers.push_back({{"parameter", number.parameter},
                       {"usual", number.usual},
                       {"least", number.least},
                       {"most", number.most},
                       {"meaning", number.meaning}});
  }
  return numbers;
}

Json promises_of(const Promises& promises) {
  return {{"excludes", promises.excludes},   {"lock_per_key", promises.lock_per_key},
          {"reentrant", promises.reentrant}, {"timed", promises.timed},
          {"fair", promises.fair},           {"fallible", promises.fallible},
          {"expires", promises.expires}};
}

Json primitive(const ListedPrimitive& listed) {
  const CatalogEntry& entry = *listed.entry;
  Json parameters = Json::object();
  for (const Choice& choice : entry.listing.choices) parameters[choice.parameter] = choice.value;
  Json key_types = Json::array();
  for (const KeyType type : entry.key_types) key_types.push_back(to_text(type));
  std::set<std::string> workloads;
  for (const Pairing& pairing : entry.pairings) workloads.insert(pairing.workload);
  return {{"name", listed.name},
          {"primitive", entry.listing.name},
          {"parameters", parameters},
          {"usual", listed.usual},
          {"summary", entry.listing.summary},
          {"origin", entry.listing.origin},
          {"numbers", numbers_of(entry.listing)},
          {"promises", promises_of(entry.promises)},
          {"tokens", entry.tokens},
          {"key_types", key_types},
          {"workloads", workloads},
          {"plugin", entry.plugin}};
}

Json primitives(const Catalog& catalog) {
  Json all = Json::array();
  for (const ListedPrimitive& listed : listed_primitives(catalog)) all.push_back(primitive(listed));
  return all;
}

Json workloads(const Catalog& catalog) {
  Json all = Json::array();
  for (const WorkloadListing& workload : catalog.workloads()) {
    all.push_back({{"name", workload.name},
                   {"summary", workload.summary},
                   {"needs", workload.needs},
                   {"scenarios", workload.scenarios}});
  }
  return all;
}

Json presets(const std::vector<ListedPreset>& listed) {
  Json all = Json::array();
  for (const ListedPreset& one : listed) {
    if (!one.preset.ok()) {
      all.push_back({{"name", one.name}, {"error", one.preset.status().message()}});
      continue;
    }
    all.push_back({{"name", one.name},
                   {"title", one.preset->title},
                   {"description", one.preset->description},
                   {"target", one.preset->target},
                   {"blocks", one.preset->blocks}});
  }
  return all;
}

Json targets() {
  Json all = Json::array();
  for (const Target& target : kTargets) {
    all.push_back({{"name", target.name},
                   {"cores", target.cores},
                   {"hardware_threads", target.hardware_threads}});
  }
  return all;
}

Json section_json(const std::vector<ListedThing>& things) {
  Json all = Json::array();
  for (const ListedThing& thing : things) {
    Json one = {{"name", thing.name}, {"title", thing.title}};
    for (const auto& [name, number] : thing.numbers) one[name] = number;
    all.push_back(one);
  }
  return all;
}

}  // namespace

absl::StatusOr<std::string> list_json(const std::string& what, const Catalog& catalog,
                                      const std::vector<ListSection>& sections) {
  const bool all = what.empty();
  Json whole = Json::object();
  if (all || what == "primitives") whole["primitives"] = primitives(catalog);
  if (all || what == "workloads") whole["workloads"] = workloads(catalog);
  if (all || what == "presets") {
    const absl::StatusOr<std::vector<ListedPreset>> listed = listed_presets();
    if (!listed.ok()) return listed.status();
    whole["presets"] = presets(*listed);
  }
  if (all || what == "targets") whole["targets"] = targets();
  for (const ListSection& section : sections) {
    if (!all && what != section.name) continue;
    const absl::StatusOr<std::vector<ListedThing>> things = section.things();
    if (!things.ok()) return things.status();
    whole[section.name] = section_json(*things);
  }
  // A plug-in's texts may contain bytes that are not UTF-8.
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockbench
