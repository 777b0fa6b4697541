// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/list/list_section.h"

#include <chrono>
#include <filesystem>

#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

#include "harness/process/child_process.h"
#include "harness/process/command_programs.h"

namespace lockbench {
namespace {

constexpr std::chrono::minutes kMostTime{1};

absl::StatusOr<std::vector<ListedThing>> things_of(const std::filesystem::path& program,
                                                   const std::string& name) {
  const absl::StatusOr<ChildResult> said =
      run_child({.program = program,
                 .words = {"lockbench", "list", name, "--format", "json"},
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + kMostTime});
  if (!said.ok()) return said.status();
  const nlohmann::json answer = nlohmann::json::parse(said->out, nullptr, false);
  if (!answer.is_object() || !answer.contains(name) || !answer[name].is_array()) {
    return absl::UnavailableError(end_text(program.filename().string(), *said));
  }
  std::vector<ListedThing> things;
  for (const nlohmann::json& one : answer[name]) {
    ListedThing thing{
        .name = one.value("name", ""), .title = one.value("title", ""), .numbers = {}};
    for (const auto& [member, value] : one.items()) {
      if (value.is_number_integer()) thing.numbers.emplace_back(member, value.get<std::int64_t>());
    }
    things.push_back(std::move(thing));
  }
  return things;
}

}  // namespace

std::vector<ListSection> sections_of_programs() {
  std::vector<ListSection> sections;
  for (const Addition& addition : additions_to("list")) {
    const std::string name = addition.what.value("name", "");
    if (name.empty()) continue;
    sections.push_back(
        {.name = name,
         .title = addition.what.value("title", ""),
         .things = [program = addition.program->file, name] { return things_of(program, name); }});
  }
  return sections;
}

}  // namespace lockbench
