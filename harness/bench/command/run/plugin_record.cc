// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/plugin_record.h"

#include <sstream>
#include <string_view>
#include <vector>

#include "harness/plugin/public/lockbench/build_stamp.h"

namespace lockbench {
namespace {

// The facts that the flags say and that no macro of the compiler says; the last flag of a kind
// decides.
struct FlagFacts {
  bool little = false;  // -O1 or -Og
  bool lto = false;
  std::string sanitizers;
};

FlagFacts facts_of(const std::string& flags) {
  constexpr std::string_view kSanitize = "-fsanitize=";
  FlagFacts facts;
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (word.starts_with("-O")) facts.little = word == "-O" || word == "-O1" || word == "-Og";
    if (word.starts_with("-flto")) facts.lto = true;
    if (word == "-fno-lto") facts.lto = false;
    if (!word.starts_with(kSanitize)) continue;
    if (!facts.sanitizers.empty()) facts.sanitizers += ',';
    facts.sanitizers += word.substr(kSanitize.size());
  }
  return facts;
}

std::string optimisation(const PluginStamp& stamp, const FlagFacts& facts) {
  if (stamp.optimised == 0) return "none";
  if (stamp.optimised == 2) return "size";
  return facts.little ? "little" : "full";
}

std::string sanitizers(const PluginStamp& stamp, const FlagFacts& facts) {
  if (!facts.sanitizers.empty()) return facts.sanitizers;
  return stamp.sanitizers == 1 ? "address" : stamp.sanitizers == 2 ? "thread" : "none";
}

PluginRecord record_of(const std::string& file, const PluginStamp& stamp) {
  const FlagFacts facts = facts_of(stamp.flags);
  return {.file = file,
          .file_hash = {},
          .optimisation = optimisation(stamp, facts),
          .assertions = stamp.assertions,
          .sanitizers = sanitizers(stamp, facts),
          .lto = facts.lto,
          .compiler = stamp.compiler,
          .flags = stamp.flags,
          .differs = {}};
}

// Empty if they do not differ.
std::string difference(const PluginRecord& plugin, const PluginRecord& own) {
  const auto yes_no = [](const std::optional<bool>& value) {
    return std::string(value.value_or(false) ? "yes" : "no");
  };
  struct Property {
    const char* name;
    std::string plugin;
    std::string own;
  };
  const std::vector<Property> properties{
      {"optimisation", plugin.optimisation.value_or(""), own.optimisation.value_or("")},
      {"assertions", yes_no(plugin.assertions), yes_no(own.assertions)},
      {"sanitizers", plugin.sanitizers.value_or(""), own.sanitizers.value_or("")},
      {"link-time optimisation", yes_no(plugin.lto), yes_no(own.lto)},
      {"compiler", plugin.compiler.value_or(""), own.compiler.value_or("")}};
  std::string text;
  for (const auto& [name, theirs, ours] : properties) {
    if (theirs == ours) continue;
    text += (text.empty() ? "" : "; ") + std::string(name) + " " + theirs + " (lockbench: " + ours +
            ")";
  }
  return text;
}

}  // namespace

PluginRecord plugin_record(const std::string& file, const std::optional<std::string>& file_hash,
                           const std::optional<PluginStamp>& stamp, const PluginStamp& own) {
  if (!stamp) return {.file = file, .file_hash = file_hash};
  PluginRecord record = record_of(file, *stamp);
  record.file_hash = file_hash;
  const std::string differs = difference(record, record_of({}, own));
  if (!differs.empty()) record.differs = differs;
  return record;
}

PluginStamp own_stamp() {
  return {.optimised = LOCKBENCH_BUILT_OPTIMISED,
          .assertions = LOCKBENCH_BUILT_ASSERTIONS != 0,
          .sanitizers = LOCKBENCH_BUILT_SANITIZERS,
          .compiler = LOCKBENCH_BUILT_BY,
          .flags = this_build().flags};
}

}  // namespace lockbench
