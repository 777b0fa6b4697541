// SPDX-License-Identifier: Apache-2.0

#include "harness/plugin/describe.h"

#include <nlohmann/json.hpp>

namespace lockbench {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const Json& json, const std::string& wanted) {
  const std::string found = json.is_number() ? json.dump() : json.type_name();
  throw Json::other_error::create(501, found + ", where " + wanted + " belongs", nullptr);
}

// Json::get() would convert a number that does not fit into another number.
std::uint64_t count_of(const Json& json) {
  if (!json.is_number_unsigned()) refuse(json, "a whole number from 0 to 2^64 - 1");
  return json.get<std::uint64_t>();
}

template <class Enum>
Enum enum_of(const Json& json, Enum last) {
  const auto most = static_cast<std::uint64_t>(last);
  if (count_of(json) > most) refuse(json, "a number from 0 to " + std::to_string(most));
  return static_cast<Enum>(count_of(json));
}

KeyType key_type_of(const Json& json) {
  return enum_of(json, KeyType::kString);
}

Json json_of(const Listing& listing) {
  Json choices = Json::array();
  for (const Choice& choice : listing.choices) choices.push_back({choice.parameter, choice.value});
  Json numbers = Json::array();
  for (const Number& n : listing.numbers) {
    numbers.push_back(
        {n.parameter, n.usual, n.least, n.most, n.meaning, n.holders_of_a_key, n.servers});
  }
  return {{"name", listing.name}, {"summary", listing.summary}, {"origin", listing.origin},
          {"choices", choices},   {"numbers", numbers},         {"service", listing.service}};
}

Listing listing_of(const Json& json) {
  Listing listing{.name = json.at("name"),
                  .summary = json.at("summary"),
                  .origin = json.at("origin"),
                  .choices = {},
                  .numbers = {},
                  .service = json.at("service")};
  for (const Json& choice : json.at("choices")) {
    listing.choices.push_back({choice.at(0), choice.at(1)});
  }
  for (const Json& n : json.at("numbers")) {
    listing.numbers.push_back({.parameter = n.at(0),
                               .usual = count_of(n.at(1)),
                               .least = count_of(n.at(2)),
                               .most = count_of(n.at(3)),
                               .meaning = n.at(4),
                               .holders_of_a_key = n.at(5),
                               .servers = n.at(6)});
  }
  return listing;
}

Json json_of(const Promises& promises) {
  return {promises.excludes,
          promises.lock_per_key,
          promises.one_lock,
          promises.reentrant,
          promises.timed,
          promises.fair,
          static_cast<int>(promises.scope),
          promises.fallible,
          promises.expires};
}

Promises promises_of(const Json& json) {
  return {.excludes = json.at(0),
          .lock_per_key = json.at(1),
          .one_lock = json.at(2),
          .reentrant = json.at(3),
          .timed = json.at(4),
          .fair = json.at(5),
          .scope = enum_of(json.at(6), Scope::kService),
          .fallible = json.at(7),
          .expires = json.at(8)};
}

Json json_of(const CatalogEntry& entry) {
  Json key_types = Json::array();
  for (const KeyType type : entry.key_types) key_types.push_back(static_cast<int>(type));
  Json pairings = Json::array();
  for (const Pairing& pairing : entry.pairings) {
    pairings.push_back({pairing.workload, static_cast<int>(pairing.key_type)});
  }
  return {{"listing", json_of(entry.listing)},
          {"promises", json_of(entry.promises)},
          {"key_types", key_types},
          {"pairings", pairings},
          {"tokens", entry.tokens}};
}

CatalogEntry entry_from(const Json& json) {
  CatalogEntry entry{.listing = listing_of(json.at("listing")),
                     .promises = promises_of(json.at("promises")),
                     .tokens = json.at("tokens")};
  for (const Json& type : json.at("key_types")) {
    entry.key_types.push_back(key_type_of(type));
  }
  for (const Json& pairing : json.at("pairings")) {
    entry.pairings.push_back(
        {.workload = pairing.at(0), .key_type = key_type_of(pairing.at(1)), .make = {}});
  }
  return entry;
}

}  // namespace

std::string to_json(const PluginDescription& description) {
  Json entries = Json::array();
  for (const CatalogEntry& entry : description.entries) entries.push_back(json_of(entry));
  Json json{{"entries", entries}, {"stressed", description.stressed}};
  if (const auto& stamp = description.stamp) {
    json["stamp"] = {stamp->optimised, stamp->assertions, stamp->sanitizers, stamp->compiler,
                     stamp->flags};
  }
  if (description.call_ns) json["call_ns"] = *description.call_ns;
  // A summary that is not UTF-8 does not make the plug-in fail.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<PluginDescription> description_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    PluginDescription description;
    for (const Json& entry : json.at("entries")) description.entries.push_back(entry_from(entry));
    for (const Json& name : json.at("stressed")) description.stressed.push_back(name);
    if (json.contains("stamp")) {
      const Json& stamp = json.at("stamp");
      description.stamp = {.optimised = static_cast<std::uint32_t>(count_of(stamp.at(0))),
                           .assertions = stamp.at(1),
                           .sanitizers = static_cast<std::uint32_t>(count_of(stamp.at(2))),
                           .compiler = stamp.at(3),
                           .flags = stamp.at(4)};
    }
    if (json.contains("call_ns")) description.call_ns = json.at("call_ns").get<double>();
    return description;
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(std::string("no description of a plug-in: ") + error.what());
  }
}

}  // namespace lockbench
