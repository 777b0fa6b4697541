// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/flags.h"

#include <utility>

#include <CLI/CLI.hpp>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

namespace lockbench {
namespace {

// CLI11 prints a ValidationError as `flag: message`.
void require(const absl::Status& status, const std::string& flag) {
  if (!status.ok()) throw CLI::ValidationError(flag, std::string(status.message()));
}

std::string first_name(const Flag& flag) {
  return flag.names.substr(0, flag.names.find(','));
}

void describe(CLI::Option& option, const Flag& flag) {
  // Each flag takes one value: the next word is not taken as a second value.
  option.type_name(flag.type)->expected(1)->allow_extra_args(false);
  if (!flag.group.empty()) option.group(flag.group);
  if (!flag.environment.empty()) option.envname(flag.environment);
}

Flag format_flag(const std::string& help) {
  return {.names = "--format", .type = "FORMAT", .help = help};
}

}  // namespace

void add_words(CLI::App& command, const std::string& name, const std::string& help,
               std::vector<std::string>& words) {
  command.add_option(name, words, help)->type_name("");
}

void add_required_word(CLI::App& command, const std::string& name, const std::string& help,
                       std::string& word) {
  command.add_option(name, word, help)->type_name("")->required();
}

void add_switch(CLI::App& command, const std::string& name, const std::string& help, bool& on) {
  command.add_flag(name, on, help);
}

void add_value(CLI::App& command, const Flag& flag, Take take) {
  CLI::Option* const option = command.add_option_function<std::string>(
      flag.names,
      [name = first_name(flag), take = std::move(take)](const std::string& text) {
        require(take(text), name);
      },
      flag.help);
  describe(*option, flag);
  option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

void add_values(CLI::App& command, const Flag& flag, Take take) {
  CLI::Option* const option = command.add_option_function<std::vector<std::string>>(
      flag.names,
      [name = first_name(flag), take = std::move(take)](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) require(take(text), name);
      },
      flag.help);
  describe(*option, flag);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_texts(CLI::App& command, const Flag& flag, std::vector<std::string>& texts) {
  add_values(command, flag, [&texts](const std::string& given) {
    texts.push_back(given);
    return absl::OkStatus();
  });
}

absl::Status not_among(std::string_view text, const std::vector<std::string>& words) {
  return absl::InvalidArgumentError(
      words.size() == 2 ? absl::StrFormat("'%s' is neither %s nor %s", text, words[0], words[1])
                        : absl::StrFormat("'%s' is none of %s", text, absl::StrJoin(words, ", ")));
}

void add_word(CLI::App& command, const Flag& flag, const std::vector<std::string>& words,
              std::string& word) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& one : words) choices.emplace_back(one, one);
  add_choice(command, flag, choices, word);
}

void add_path(CLI::App& command, const Flag& flag, std::optional<std::filesystem::path>& path) {
  const std::string what = flag.type == "DIR" ? "folder" : "file";
  add_value(command, flag, [what, &path](const std::string& text) {
    if (text.empty()) return absl::InvalidArgumentError("no name given; name a " + what);
    path = text;
    return absl::OkStatus();
  });
}

void add_folder(CLI::App& command, const std::string& name, const std::string& help,
                std::optional<std::filesystem::path>& folder) {
  add_path(command, {.names = name, .type = "DIR", .help = help}, folder);
}

void add_plugins(CLI::App& command, std::vector<std::string>& plugins) {
  add_texts(command,
            {.names = "--plugin",
             .type = "FILE.so",
             .help = "Adds the locks of this plug-in (docs/add-a-primitive.md)"},
            plugins);
}

void add_progress(CLI::App& command, ProgressStyle& progress) {
  add_choice(command,
             {.names = "--progress",
              .type = "STYLE",
              .help = "auto (a bar on a terminal, else lines), bar, line or off"},
             {{"auto", ProgressStyle::kAuto},
              {"bar", ProgressStyle::kBar},
              {"line", ProgressStyle::kLine},
              {"off", ProgressStyle::kOff}},
             progress);
}

void add_format(CLI::App& command, const std::string& help, std::string& format) {
  add_word(command, format_flag(help), {"text", "json", "csv", "markdown"}, format);
}

void add_text_or_json(CLI::App& command, const std::string& help, bool& json) {
  add_choice(command, format_flag(help), {{"text", false}, {"json", true}}, json);
}

nlohmann::json described_flags(const std::function<void(CLI::App&)>& add) {
  CLI::App app;
  app.set_help_flag();
  add(app);
  nlohmann::json flags = nlohmann::json::array();
  for (const CLI::Option* const option : app.get_options()) {
    const bool is_switch = option->get_expected_max() == 0;
    flags.push_back({{"name", "--" + option->get_lnames().front()},
                     {"type", is_switch ? "" : option->get_type_name()},
                     {"help", option->get_description()},
                     {"switch", is_switch}});
  }
  return flags;
}

void add_described_flags(CLI::App& command, const nlohmann::json& flags,
                         std::map<std::string, std::string>& given) {
  if (!flags.is_array()) return;
  for (const nlohmann::json& flag : flags) {
    if (!flag.is_object()) continue;
    const std::string name = flag.value("name", "");
    if (!name.starts_with("--")) continue;
    if (flag.value("switch", false)) {
      command.add_flag_callback(
          name, [&given, name] { given[name]; }, flag.value("help", ""));
      continue;
    }
    add_value(command,
              {.names = name, .type = flag.value("type", ""), .help = flag.value("help", "")},
              [&given, name](const std::string& value) {
                given[name] = value;
                return absl::OkStatus();
              });
  }
}

bool was_given(const CLI::App& command, const std::string& name) {
  const CLI::Option* const option = command.get_option_no_throw(name);
  return option != nullptr && option->count() != 0;
}

std::string first_given(const CLI::App& command, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (was_given(command, name)) return name;
  }
  return {};
}

}  // namespace lockbench
