// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/list/list_entry.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/base/exit_code.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/record/schema.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "Examples\n"
    "  lockbench list\n"
    "  lockbench list primitives\n"
    "  lockbench list presets --show quick\n"
    "  lockbench list primitives --format json\n";

constexpr char kSchemaFooter[] =
    "Each run contains this text as schema.json. The tables in results/README.md are this text\n"
    "with --format markdown.\n"
    "\n"
    "Examples\n"
    "  lockbench schema\n"
    "  lockbench schema --format markdown\n";

class SchemaEntry final : public Command {
 public:
  SchemaEntry()
      : Command({.name = "schema",
                 .group = CommandGroup::kUpkeep,
                 .summary = "Prints the columns of a run's tables: names, units, meanings",
                 .footer = kSchemaFooter}) {}

  void add_flags(CLI::App& schema) override {
    add_choice(schema, {.names = "--format", .type = "FORMAT", .help = "json or markdown [json]"},
               {{"json", false}, {"markdown", true}}, markdown_);
  }

  int run(const Invocation&) override {
    std::cout << (markdown_ ? trials_markdown() + "\n" + latency_markdown() : schema_json());
    return kSuccess;
  }

 private:
  bool markdown_ = false;  // tables for people, else JSON
};

}  // namespace

ListEntry::ListEntry()
    : CommandWithOptions({.name = "list",
                          .group = CommandGroup::kUpkeep,
                          .summary = "Lists primitives, workloads, presets, targets and machines",
                          .footer = kFooter}) {}

void ListEntry::add_flags(CLI::App& list) {
  if (sections_.empty()) sections_ = sections_of_programs();
  std::vector<std::string> kinds = kinds_of_lists(sections_);
  const std::string last = kinds.back();
  kinds.pop_back();
  add_text(list,
           {.names = "what",
            .type = "",
            .help = absl::StrCat(absl::StrJoin(kinds, ", "), " or ", last, " [all]")},
           options_.what);
  add_value(
      list,
      {.names = "--show", .type = "NAME", .help = "Prints the TOML of a preset (with presets)"},
      [this](const std::string& name) {
        options_.show = name;
        return name.empty()
                   ? absl::InvalidArgumentError("'' is no preset; see lockbench list presets")
                   : absl::OkStatus();
      });
  add_text_or_json(list, "text or json [text]", options_.json);
  add_plugins(list, plugins_);
}

int ListEntry::run(const Invocation&) {
  if (const std::optional<int> wrong = add_plugins_of_command("list", plugins_, false)) {
    return *wrong;
  }
  return list_command(options_, sections_, std::cout, std::cerr);
}

void add_list_commands(Commands& all) {
  all.push_back(std::make_unique<ListEntry>());
  all.push_back(std::make_unique<SchemaEntry>());
}

}  // namespace lockbench
