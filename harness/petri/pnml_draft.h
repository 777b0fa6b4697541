// SPDX-License-Identifier: Apache-2.0

// PnmlDraft: a net while its document is read: nodes by their ids, and arcs, whose ends may come
// after them.
//
// What is wrong with a part is said in words without file and line where the reader stands at that
// line; what shows at the end only is told with the line that it is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/petri/net.h"

namespace lockbench::internal {

using Line = unsigned long;

struct DraftArc {
  std::string id;
  std::string source;
  std::string target;
  std::uint32_t weight = 1;
  Line line = 0;
};

struct DraftFinal {
  std::string place;
  std::uint32_t tokens = 0;
  Line line = 0;
};

class PnmlDraft {
 public:
  // `file` is named where something is wrong.
  explicit PnmlDraft(std::string file) : file_(std::move(file)) {}

  // Each returns what is wrong with it; empty: nothing.
  std::string add_place(const std::string& id);
  std::string add_transition(const std::string& id);
  std::string add_arc(DraftArc arc);
  std::string add_reference(const std::string& id, const std::string& target);
  std::string add_final(DraftFinal token);

  // What was added last, which there must be.
  NetPlace& place() { return net_.places.back(); }
  NetTransition& transition() { return net_.transitions.back(); }
  DraftArc& arc() { return arcs_.back(); }
  DraftFinal& final_token() { return final_.back(); }
  bool has_final_tokens() const { return !final_.empty(); }
  // Ids count themselves; names are counted by who gives them.
  std::string count_name(const std::string& name) { return hold(name.size()); }
  void set_name(const std::string& name) { net_.name = name; }

  absl::Status at(Line line, const std::string& what) const;

  // The whole net, once; `line` is the document's last.
  absl::StatusOr<Net> finished(Line line);

 private:
  struct Node {
    bool is_place = false;
    std::uint32_t index = 0;
  };

  std::string known(const std::string& id, Node node);
  std::string hold(std::size_t bytes);
  std::optional<Node> find(const std::string& id) const;
  absl::Status connect(const DraftArc& arc);

  const std::string file_;
  std::size_t held_ = 0;  // bytes of ids and names
  Net net_;
  std::unordered_map<std::string, Node> nodes_;
  std::vector<DraftArc> arcs_;
  std::unordered_map<std::string, std::string> references_;  // what nodes of other pages stand for
  std::vector<DraftFinal> final_;
};

}  // namespace lockbench::internal
