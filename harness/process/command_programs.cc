// SPDX-License-Identifier: Apache-2.0

#include "harness/process/command_programs.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <unistd.h>
#include <utility>

#include <absl/status/statusor.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/process/line_process.h"
#include "harness/process/pipe.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kPrefix = "lockbench-";
constexpr const char* kTexts[] = {"name", "group", "summary"};

// An answer takes some milliseconds; a machine may do much else.
constexpr std::chrono::seconds kAnswersWithin{10};

bool can_be_run(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

// The programs in a folder that are named as commands are, in alphabetical order.
std::vector<fs::path> programs_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(kPrefix) && can_be_run(entry.path())) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_this_program(const fs::path& file) {
  std::error_code error;
  return fs::equivalent(file, this_program(), error);
}

bool has_form(const nlohmann::json& description) {
  const auto has_texts = [](const nlohmann::json& command) {
    if (!command.is_object()) return false;
    return std::all_of(std::begin(kTexts), std::end(kTexts), [&](const char* text) {
      return command.contains(text) && command[text].is_string();
    });
  };
  if (!description.is_object() || !description.contains("commands")) return false;
  const nlohmann::json& commands = description["commands"];
  return commands.is_array() && std::all_of(commands.begin(), commands.end(), has_texts) &&
         description.contains("adds") && description["adds"].is_object();
}

// All are started before the first answer is read. They are no run_child(), which would make a
// folder for temporary files: the question comes before any command has begun.
std::vector<CommandProgram> ask(const std::vector<fs::path>& files) {
  std::vector<absl::StatusOr<LineProcess>> asked;
  for (const fs::path& file : files) {
    asked.push_back(LineProcess::start({file.string(), kDescribe}));
  }
  const Clock::time_point deadline = Clock::now() + kAnswersWithin;
  std::vector<CommandProgram> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!asked[i].ok()) continue;
    const absl::StatusOr<std::string> line = asked[i]->read(deadline);
    if (!line.ok()) continue;
    nlohmann::json description = nlohmann::json::parse(*line, nullptr, false);
    if (!has_form(description)) continue;
    found.push_back({files[i].filename().string(), files[i], std::move(description)});
  }
  return found;
}

std::vector<CommandProgram> ask_all() {
  std::vector<fs::path> files = programs_in(command_folder());
  std::erase_if(files, is_this_program);
  return ask(files);
}

bool has_command(const CommandProgram& program, const std::string& command) {
  const nlohmann::json& commands = program.description["commands"];
  return std::any_of(commands.begin(), commands.end(), [&](const nlohmann::json& one) {
    return one["name"].get<std::string>() == command;
  });
}

std::vector<fs::path> folders_on_path() {
  std::vector<fs::path> folders;
  const char* const path = std::getenv("PATH");
  std::stringstream words(path == nullptr ? "" : path);
  for (std::string folder; std::getline(words, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace

const std::vector<CommandProgram>& command_programs() {
  static const std::vector<CommandProgram> programs = ask_all();
  return programs;
}

std::vector<Addition> additions_to(const std::string& command) {
  std::vector<Addition> found;
  for (const CommandProgram& program : command_programs()) {
    const nlohmann::json& adds = program.description["adds"];
    if (adds.contains(command)) found.push_back({&program, adds[command]});
  }
  return found;
}

std::optional<FoundCommand> find_command_program(const std::string& command) {
  if (command.empty() || command.find('/') != std::string::npos) return std::nullopt;
  // The one of this name most likely has it.
  const fs::path namesake = command_folder() / (std::string(kPrefix) + command);
  if (can_be_run(namesake)) {
    const std::vector<CommandProgram> answered = ask({namesake});
    if (!answered.empty() && has_command(answered.front(), command)) return FoundCommand{namesake};
  }
  for (const CommandProgram& program : command_programs()) {
    if (has_command(program, command)) return FoundCommand{program.file};
  }
  for (const fs::path& folder : folders_on_path()) {
    const fs::path file = folder / (std::string(kPrefix) + command);
    if (can_be_run(file)) return FoundCommand{file, true};
  }
  return std::nullopt;
}

std::vector<std::string> commands_on_path() {
  std::set<std::string> names;
  for (const fs::path& folder : folders_on_path()) {
    for (const fs::path& file : programs_in(folder)) {
      names.insert(file.filename().string().substr(kPrefix.size()));
    }
  }
  for (const CommandProgram& program : command_programs()) {
    for (const nlohmann::json& command : program.description["commands"]) {
      names.erase(command["name"].get<std::string>());
    }
  }
  return {names.begin(), names.end()};
}

int become(const fs::path& file, std::vector<std::string> words) {
  std::cout.flush();
  execv(file.c_str(), pointers_to(words).data());
  return complain(std::cerr, "lockbench",
                  "cannot start " + file.string() + ": " + std::strerror(errno), kCouldNotFinish);
}

}  // namespace lockbench
