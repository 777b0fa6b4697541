// SPDX-License-Identifier: Apache-2.0

#include "harness/program/program.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/base/exit_code.h"
#include "harness/process/command_programs.h"
#include "harness/process/out_of_memory.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"
#include "harness/process/written_output.h"
#include "harness/program/command_line.h"
#include "harness/program/help_texts.h"

namespace lockbench {
namespace {

int run(const Chosen& chosen) {
  explain_out_of_memory("lockbench " + chosen.command->text().name);
  return chosen.command->run(chosen.invocation);
}

int answer(const Reply& reply) {
  std::cout << reply.out;
  std::cerr << reply.err;
  return reply.exit_code;
}

// Prints what this program has, as harness/process/command_programs.h says.
int describe(const Contents& contents) {
  nlohmann::json commands = nlohmann::json::array();
  for (std::size_t i = contents.extended; i < contents.commands.size(); ++i) {
    const CommandText& text = contents.commands[i]->text();
    commands.push_back(
        {{"name", text.name}, {"group", name_of(text.group)}, {"summary", text.summary}});
  }
  nlohmann::json adds = nlohmann::json::object();
  if (contents.describe != nullptr) contents.describe(adds);
  std::cout << nlohmann::json{{"commands", commands}, {"adds", adds}}.dump() << '\n';
  return kSuccess;
}

// True if the command line names a command, and none of these.
bool names_other_command(const Commands& commands, const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1].starts_with('-')) return false;
  return std::none_of(commands.begin(), commands.end(), [&](const std::unique_ptr<Command>& one) {
    return one->text().name == words[1];
  });
}

constexpr char kHowToGetPrograms[] =
    "; in a checkout: cmake --build --preset release; or install all of lockbench";

// Those of these programs that are missing.
std::vector<std::string> missing_programs(const std::vector<std::string>& others) {
  std::vector<std::string> missing;
  for (const std::string& name : others) {
    if (access((command_folder() / name).c_str(), X_OK) != 0) missing.push_back(name);
  }
  return missing;
}

// The reply to a command that no program here has: `unknown`, or the program that is missing.
Reply explain_missing(const std::string& command, const std::vector<std::string>& others,
                      Reply unknown) {
  const std::vector<std::string> missing = missing_programs(others);
  if (missing.empty()) return unknown;
  const std::string namesake = "lockbench-" + command;
  if (std::find(missing.begin(), missing.end(), namesake) != missing.end()) {
    unknown.err = absl::StrCat("lockbench: '", command, "' needs ", namesake, ", which is not here",
                               kHowToGetPrograms, "\n");
    return unknown;
  }
  absl::StrAppend(&unknown.err, "lockbench: a command may be of a program that is not here: ",
                  absl::StrJoin(missing, ", "), kHowToGetPrograms, "\n");
  return unknown;
}

// Runs the program that has the command, if it is not this one's. Returns only if none has it, or
// if it cannot be started: then the exit code.
std::optional<int> run_elsewhere(const Contents& contents, const std::vector<std::string>& words) {
  if (!names_other_command(contents.commands, words)) return std::nullopt;
  const std::optional<FoundCommand> found = find_command_program(words[1]);
  if (!found) return std::nullopt;
  std::vector<std::string> its_words = words;
  if (found->on_path) {
    its_words.erase(its_words.begin());
    its_words.front() = found->file.string();
  }
  return become(found->file, std::move(its_words));
}

}  // namespace

int run_program(const Contents& contents, const std::vector<std::string>& typed) {
  if (typed.size() == 2 && typed[1] == kDescribe) {
    return end_of_output("lockbench", describe(contents));
  }
  restore_inherited_settings();
  const std::vector<std::string> words = words_without_help(typed);
  if (const std::optional<int> code = run_elsewhere(contents, words)) return *code;
  std::variant<Chosen, Reply> read = read_command_line(contents.commands, words);
  Reply* const reply = std::get_if<Reply>(&read);
  if (reply != nullptr && names_other_command(contents.commands, words)) {
    *reply = explain_missing(words[1], contents.others, std::move(*reply));
  }
  int code = reply != nullptr ? answer(*reply) : run(std::get<Chosen>(read));
  // If a signal has requested an end, a failure after it is due to the signal.
  if (code != 0 && noted_signal() != 0) code = kSignalExitBase + noted_signal();
  return end_of_output("lockbench", code);
}

}  // namespace lockbench
