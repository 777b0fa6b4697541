// SPDX-License-Identifier: Apache-2.0

#include "harness/command/model/animation.h"

#include <chrono>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <nlohmann/json.hpp>

#include "harness/petri/dot.h"
#include "harness/process/child_process.h"
#include "harness/process/resources.h"
#include "harness/record/files.h"

namespace lockbench {
namespace {

constexpr std::chrono::minutes kMostTime{2};

nlohmann::json frame(const std::string& label, const nlohmann::json& fired,
                     const Marking& marking) {
  std::vector<std::string> tokens;
  for (const std::uint32_t count : marking) tokens.push_back(tokens_text(count));
  return {{"label", label}, {"fired", fired}, {"tokens", tokens}};
}

}  // namespace

std::string animation_json(const Net& net, const Animation& animation) {
  Marking marking = initial_marking(net);
  nlohmann::json frames{frame("initial marking", nullptr, marking)};
  for (const std::uint32_t t : animation.steps) {
    fire(net.transitions[t], marking);
    frames.push_back(frame(full_label(net.transitions[t]), t, marking));
  }
  const nlohmann::json json = {{"name", net.name},
                               {"caption", animation.caption},
                               {"dot", dot_of(net, initial_marking(net))},
                               {"frames", std::move(frames)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::Status write_animation(const Net& net, const Animation& animation,
                             const std::filesystem::path& file) {
  if (file.extension() == ".json") return replace_file(file, animation_json(net, animation));
  const std::size_t nodes = net.places.size() + net.transitions.size();
  if (nodes > kMostAnimatedNodes) {
    return absl::InvalidArgumentError(absl::StrCat("--animation: the net has ", nodes,
                                                   " places and transitions (maximum ",
                                                   kMostAnimatedNodes, "); --dot exports it"));
  }
  const absl::StatusOr<std::filesystem::path> script = find_resource("scripts/animation.py");
  if (!script.ok()) return script.status();
  const absl::StatusOr<std::filesystem::path> python = find_python({"jinja2"});
  if (!python.ok()) return python.status();
  const absl::StatusOr<ChildResult> result =
      run_child({.program = *python,
                 .words = {python->string(), script->string(), file.string()},
                 .input = animation_json(net, animation),
                 .deadline = std::chrono::steady_clock::now() + kMostTime});
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kEnded && result->status == 0) return absl::OkStatus();
  absl::string_view said = absl::StripSuffix(result->err, "\n");
  if (result->ending == ChildEnding::kEnded && absl::ConsumePrefix(&said, "animation: ")) {
    return absl::UnavailableError(said);
  }
  return absl::UnavailableError(told_end("scripts/animation.py", *result));
}

}  // namespace lockbench
