// SPDX-License-Identifier: Apache-2.0

// CommandProgram: a program of its own that has commands of `lockbench`.
//
// lockbench itself knows the commands of the benchmark. `lockbench observe` is run by
// lockbench-observe, which lies in the folder of such programs; a program lockbench-NAME on the
// PATH is a command, too. What such a program has, it answers itself, in JSON, when it is started
// with the word --describe, in one line; nothing is remembered from one call to the next:
//
//   {"commands": [{"name": "predict", "group": "machines", "summary": "Predicts …"}],
//    "adds": {"list": {…}, "advise": {…}}}
//
// `adds`: what it adds to commands of others, by their names; the command says what it
// understands. What crosses from one program to another is data alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lockbench {

inline constexpr char kDescribe[] = "--describe";

struct CommandProgram {
  std::string name;  // lockbench-observe
  std::filesystem::path file;
  nlohmann::json description;  // as above
};

// The programs in the folder, in alphabetical order, this one excepted. They are asked when this is
// called for the first time, which takes some milliseconds for each. One that does not answer in
// this form is left out.
const std::vector<CommandProgram>& command_programs();

// The addition of a program to a command, and the program.
struct Addition {
  const CommandProgram* program = nullptr;
  nlohmann::json what;
};
std::vector<Addition> additions_to(const std::string& command);

// The program that has the command: one of the folder, or lockbench-<command> on the PATH.
struct FoundCommand {
  std::filesystem::path file;
  bool on_path = false;  // its words are those after the name of the command
};
std::optional<FoundCommand> find_command_program(const std::string& command);

// Names of the commands on the PATH that no other program has, in alphabetical order.
std::vector<std::string> commands_on_path();

// Replaces this process by the program; `words`: its own, the first its name. It returns only if
// that fails: it then prints why, and returns an exit code.
int become(const std::filesystem::path& file, std::vector<std::string> words);

}  // namespace lockbench
