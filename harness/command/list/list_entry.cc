// SPDX-License-Identifier: Apache-2.0

// The commands `list` and `schema`.

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/command/list/list_command.h"
#include "harness/command/run/plugins.h"
#include "harness/record/schema.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "Examples\n"
    "  lockbench list\n"
    "  lockbench list primitives\n"
    "  lockbench list presets --show quick\n"
    "  lockbench list primitives --format json\n";

class ListEntry final : public CommandWithOptions<ListOptions> {
 public:
  ListEntry()
      : CommandWithOptions({.name = "list",
                            .group = CommandGroup::kUpkeep,
                            .summary = "Lists primitives, workloads, presets, targets and machines",
                            .footer = kFooter}) {}

  void add_flags(CLI::App& list) override {
    ListOptions& options = options_;
    add_text(list,
             {.names = "what",
              .type = "",
              .help = "primitives, workloads, presets, targets or machines [all]"},
             options.what);
    add_value(
        list,
        {.names = "--show", .type = "NAME", .help = "Prints the TOML of a preset (with presets)"},
        [&options](const std::string& name) {
          options.show = name;
          return name.empty()
                     ? absl::InvalidArgumentError("'' is no preset; see lockbench list presets")
                     : absl::OkStatus();
        });
    add_text_or_json(list, "text or json [text]", options.json);
    add_plugins(list, plugins_);
  }

  int run(const Invocation&) override {
    if (const std::optional<int> wrong = add_plugins_of_command("list", plugins_, false)) {
      return *wrong;
    }
    return list_command(options_, std::cout, std::cerr);
  }

 private:
  std::vector<std::string> plugins_;
};

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

void add_list_commands(Commands& all) {
  all.push_back(std::make_unique<ListEntry>());
  all.push_back(std::make_unique<SchemaEntry>());
}

}  // namespace lockbench
