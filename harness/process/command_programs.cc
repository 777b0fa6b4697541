// SPDX-License-Identifier: Apache-2.0

#include "harness/process/command_programs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <iterator>
#include <poll.h>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
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

// A program that was asked what it has. It is a process without a folder for temporary files, which
// run_child() would make: the question comes before any command has begun.
class AskedProgram {
 public:
  explicit AskedProgram(const fs::path& file) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<std::string> words{file.string(), kDescribe};
    const int error =
        posix_spawn(&process_, file.c_str(), &actions, nullptr, pointers_to(words).data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    from_ = ends[0];
    if (error != 0) process_ = -1;
  }
  AskedProgram(AskedProgram&& other) noexcept
      : process_(std::exchange(other.process_, -1)), from_(std::exchange(other.from_, -1)) {}
  AskedProgram& operator=(AskedProgram&&) = delete;
  ~AskedProgram() {
    if (from_ >= 0) close(from_);
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }

  // Discarded if the program does not answer in time, or fails.
  nlohmann::json answer(Clock::time_point deadline) {
    std::string said;
    while (process_ > 0 && read_more(deadline, said)) continue;
    int status = -1;
    if (process_ <= 0 || Clock::now() >= deadline || said.size() > kMostBytes) return discarded();
    waitpid(std::exchange(process_, -1), &status, 0);
    return status == 0 ? nlohmann::json::parse(said, nullptr, false) : discarded();
  }

 private:
  static nlohmann::json discarded() { return {nlohmann::json::value_t::discarded}; }

  // False at the end of what it says, at the deadline, or if it says too much.
  bool read_more(Clock::time_point deadline, std::string& said) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd readable{.fd = from_, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || said.size() > kMostBytes) return false;
    if (poll(&readable, 1, static_cast<int>(left.count())) <= 0) return errno == EINTR;
    std::array<char, 4096> piece;
    const ssize_t got = read(from_, piece.data(), piece.size());
    if (got > 0) said.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  pid_t process_ = -1;
  int from_ = -1;
};

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

// All are started before the first answer is read.
std::vector<CommandProgram> ask(const std::vector<fs::path>& files) {
  std::vector<AskedProgram> asked;
  for (const fs::path& file : files) asked.emplace_back(file);
  const Clock::time_point deadline = Clock::now() + kAnswersWithin;
  std::vector<CommandProgram> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    nlohmann::json description = asked[i].answer(deadline);
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
