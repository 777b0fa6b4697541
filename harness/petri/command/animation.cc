// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/command/animation.h"

#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

#include "harness/petri/net/dot.h"
#include "harness/process/page_script.h"

namespace lockbench {
namespace {

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
  const std::size_t nodes = net.places.size() + net.transitions.size();
  if (nodes > kMostAnimatedNodes && file.extension() != ".json") {
    return absl::InvalidArgumentError(absl::StrCat("--animation: the net has ", nodes,
                                                   " places and transitions (maximum ",
                                                   kMostAnimatedNodes, "); --dot exports it"));
  }
  return write_page("harness/petri/python/animation.py", animation_json(net, animation), file);
}

}  // namespace lockbench
