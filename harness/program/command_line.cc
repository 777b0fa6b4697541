// SPDX-License-Identifier: Apache-2.0

#include "harness/program/command_line.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <CLI/CLI.hpp>

#include "harness/base/exit_code.h"
#include "harness/base/nearest.h"
#include "harness/base/printable.h"
#include "harness/process/command_programs.h"
#include "harness/program/help_texts.h"

namespace lockbench {
namespace {

// A command in the help: of this program, or of another one.
struct ListedCommand {
  std::string name;
  std::string summary;
  CommandGroup group = CommandGroup::kHidden;
};

std::vector<ListedCommand> commands_of_others() {
  std::vector<ListedCommand> found;
  for (const CommandProgram& program : command_programs()) {
    for (const nlohmann::json& one : program.description["commands"]) {
      found.push_back({one["name"].get<std::string>(), one["summary"].get<std::string>(),
                       group_named(one["group"].get<std::string>())});
    }
  }
  for (const std::string& name : commands_on_path()) {
    found.push_back({name, "lockbench-" + name + ", on the PATH", CommandGroup::kOnPath});
  }
  return found;
}

// By their groups, and those of a group in the order in which they were added; those of other
// programs last.
std::vector<ListedCommand> listed_commands(const Commands& commands) {
  std::vector<ListedCommand> listed;
  for (const std::unique_ptr<Command>& command : commands) {
    const CommandText& text = command->text();
    listed.push_back({text.name, text.summary, text.group});
  }
  for (ListedCommand& other : commands_of_others()) listed.push_back(std::move(other));
  listed.push_back({"help", "Prints the flags and examples of a command", CommandGroup::kUpkeep});
  std::erase_if(listed, [](const ListedCommand& one) { return heading_of(one.group).empty(); });
  std::stable_sort(
      listed.begin(), listed.end(),
      [](const ListedCommand& a, const ListedCommand& b) { return a.group < b.group; });
  return listed;
}

// The only command of the parser: its flags may depend on what other programs say.
void add_command(CLI::App& app, Command& command) {
  CLI::App* const added = app.add_subcommand(command.text().name, command.text().summary);
  if (command.parses_itself()) {
    added->prefix_command();
    added->set_help_flag();
  } else {
    command.add_flags(*added);
  }
  added->footer(command.text().footer);
}

// For the help.
void add_all_commands(CLI::App& app, const Commands& commands) {
  for (const ListedCommand& one : listed_commands(commands)) {
    app.add_subcommand(one.name, one.summary)->group(heading_of(one.group));
  }
}

std::vector<std::string> names_of(const Commands& commands) {
  std::vector<std::string> names;
  for (ListedCommand& one : listed_commands(commands)) names.push_back(std::move(one.name));
  return names;
}

Command* command_named(const Commands& commands, std::string_view name) {
  const auto found = std::find_if(
      commands.begin(), commands.end(),
      [name](const std::unique_ptr<Command>& one) { return one->text().name == name; });
  return found == commands.end() ? nullptr : found->get();
}

const CLI::App& subcommand_of(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands()[0];
}

// `lockbench run`, or `lockbench` if no command was recognized.
std::string command_name(const CLI::App& app) {
  return app.get_subcommands().empty() ? "lockbench" : "lockbench " + subcommand_of(app).get_name();
}

Reply wrong_at(const std::string& where, std::string_view what) {
  return {.exit_code = kBadInput, .err = where + ": " + printable(what) + "\n"};
}

Reply wrong(const CLI::App& app, std::string_view what) {
  return wrong_at(command_name(app), what);
}

// "unknown flag '--thread'; did you mean '--threads'?"
std::string explain_extra(const CLI::App& command, const std::string& word) {
  if (!word.starts_with('-')) {
    return "unexpected word '" + word + "'; see lockbench " +
           (command.get_name() == "lockbench" ? "" : command.get_name() + " ") + "--help";
  }
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_lnames().empty()) flags.push_back("--" + option->get_lnames()[0]);
  }
  return std::string(unknown_name("flag", word.substr(0, word.find('=')), flags).message());
}

// CLI11's own messages for a missing or repeated value are about numbers of arguments.
std::string explain_mismatch(const std::string& message) {
  const std::string flag = message.substr(0, message.find(':'));
  if (message.find("required but received") != std::string::npos) {
    return flag + ": given more than once; give it once";
  }
  return flag + ": no value given; write " + flag + " and a value after it";
}

// Explains in one line what the parser did not accept.
Reply explain(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // Flags before the command belong to lockbench itself, which has few of them.
    const std::vector<std::string> before = app.remaining();
    if (!before.empty()) {
      return wrong_at("lockbench",
                      explain_extra(app, before.front()) + "; a command's own flags go after it");
    }
    return wrong(app, explain_extra(subcommand_of(app), app.remaining(true).front()));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return wrong(app, explain_mismatch(error.what()));
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    return wrong(app, error.what());  // our own words, see flags.cc
  }
  return wrong(app, std::string(error.what()) + "; see " + command_name(app) + " --help");
}

Reply say(const CLI::App& app, const CLI::Success& wanted) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(wanted, out, err);
  return {.exit_code = code, .out = out.str(), .err = err.str()};
}

// Removes `--` and the words after it, which belong to another program or command. They are not
// parsed here: CLI11 would treat them as flags of lockbench itself.
std::vector<std::string> cut_after_dashes(std::vector<std::string>& words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return {};
  std::vector<std::string> cut(mark + 1, words.end());
  words.erase(mark, words.end());
  return cut;
}

}  // namespace

std::vector<std::string> words_without_help(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != "help") return words;
  if (words.size() == 2) return {words[0]};
  return {words[0], words[2], "--help"};
}

std::variant<Chosen, Reply> read_command_line(const Commands& commands,
                                              const std::vector<std::string>& given) {
  std::vector<std::string> words = given;
  CLI::App app("Measures on this machine which lock by key suits a workload.", "lockbench");
  app.footer(std::string(kFirstSteps) + "\n" + kExitCodes);
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text);
  const auto word = std::find_if(words.begin() + 1, words.end(),
                                 [](const std::string& one) { return !one.starts_with('-'); });
  Command* const command = word == words.end() ? nullptr : command_named(commands, *word);
  if (command == nullptr) {
    if (words.size() > 1 && !words[1].starts_with('-')) {
      return wrong(app,
                   std::string(unknown_name("command", words[1], names_of(commands)).message()));
    }
    add_all_commands(app, commands);
    if (words.size() == 1) return Reply{.out = app.help()};
  } else {
    add_command(app, *command);
  }
  Chosen chosen{.command = command, .invocation = {.program = words[0], .words = words}};
  chosen.invocation.words[0] = "lockbench";
  if (command != nullptr && command->takes_words_after_dashes()) {
    chosen.invocation.after_dashes = cut_after_dashes(words);
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::Success& wanted) {
    return say(app, wanted);
  } catch (const CLI::RequiredError& error) {
    if (command != nullptr) return explain(app, error);
    return wrong(app, explain_extra(app, words[1]));  // a flag where a command should be
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  const CLI::App& parsed = subcommand_of(app);
  chosen.command = command_named(commands, parsed.get_name());
  chosen.invocation.rest = parsed.remaining();
  const std::string error = chosen.command->complete(parsed, chosen.invocation);
  if (error.empty()) return chosen;
  return wrong(app, error);
}

}  // namespace lockbench
