// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/registry.h"

namespace lockbench::stress {
namespace {

struct OracleFacts {
  std::string_view name;
  std::string_view description;
  bool (*needed)(const EngineTraits&, const Abilities&);
  std::string (*text)(const FailureFacts&, const std::string&);
};

// For an oracle whose failures are written as sentences where they are found.
std::string no_text(const FailureFacts&, const std::string&) {
  return "";
}

template <class O>
constexpr OracleFacts facts_of() {
  OracleFacts facts{O::kName, O::kDescription, O::needed, no_text};
  if constexpr (requires { O::text; }) facts.text = O::text;
  return facts;
}

template <class... Os>
constexpr std::array<OracleFacts, sizeof...(Os)> facts_of_all(
    std::type_identity<std::tuple<Os...>>) {
  return {facts_of<Os>()...};
}

constexpr std::array<OracleFacts, kOracles> kFacts =
    facts_of_all(std::type_identity<OracleTypes>());

const OracleFacts& facts_of(Oracle oracle) {
  return kFacts[static_cast<std::size_t>(oracle)];
}

}  // namespace

std::string_view name_of(Oracle oracle) {
  return facts_of(oracle).name;
}

std::optional<Oracle> oracle_named(std::string_view name) {
  for (std::size_t i = 0; i < kOracles; ++i) {
    if (kFacts[i].name == name) return static_cast<Oracle>(i);
  }
  return std::nullopt;
}

std::string_view description_of(Oracle oracle) {
  return facts_of(oracle).description;
}

std::string text_of(const FailureRecord& failure, const std::string& actor) {
  return facts_of(failure.oracle).text(failure.facts, actor);
}

std::vector<Oracle> needed_oracles(const EngineTraits& engine, const Abilities& abilities) {
  std::vector<Oracle> needed;
  for (std::size_t i = 0; i < kOracles; ++i) {
    if (kFacts[i].needed(engine, abilities)) needed.push_back(static_cast<Oracle>(i));
  }
  return needed;
}

}  // namespace lockbench::stress
