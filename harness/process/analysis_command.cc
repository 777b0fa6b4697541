// SPDX-License-Identifier: Apache-2.0

#include "harness/process/analysis_command.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <unistd.h>

#include "harness/process/resources.h"
#include "harness/terminal/exit_code.h"
#include "harness/terminal/one_line.h"

namespace lockbench {

int analysis_command(const std::string& name, const std::vector<std::string>& arguments) {
  const auto complain = [&name](const std::string& what) {
    std::cerr << "lockbench " << name << ": " << one_line(what) << '\n';
    return kBadInput;
  };
  const absl::StatusOr<std::filesystem::path> script = find_resource("scripts/" + name + ".py");
  if (!script.ok()) return complain(std::string(script.status().message()));
  const absl::StatusOr<std::filesystem::path> python = find_python(kAnalysisModules);
  if (!python.ok()) return complain(std::string(python.status().message()));

  std::vector<std::string> words{python->string(), script->string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return complain("cannot start " + words[0] + ": " + std::strerror(errno));
}

}  // namespace lockbench
