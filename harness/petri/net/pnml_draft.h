// SPDX-License-Identifier: Apache-2.0

// PnmlDraft: a net while its document is read. Arcs may precede the nodes that they name.
//
// The functions that add a part return an error without file and line, because the reader knows the
// line. finished() reports errors with the line of the part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/petri/net/net.h"

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
  // Messages name `file`.
  explicit PnmlDraft(std::string file) : file_(std::move(file)) {}

  // Each returns the error; empty: none.
  std::string add_place(const std::string& id);
  std::string add_transition(const std::string& id);
  std::string add_arc(DraftArc arc);
  std::string add_reference(const std::string& id, const std::string& target);
  std::string add_final(DraftFinal token);

  // The last part that was added. Requires that there is one.
  NetPlace& place() { return net_.places.back(); }
  NetTransition& transition() { return net_.transitions.back(); }
  DraftArc& arc() { return arcs_.back(); }
  DraftFinal& final_token() { return final_.back(); }
  bool has_place() const { return !net_.places.empty(); }
  bool has_transition() const { return !net_.transitions.empty(); }
  bool has_final_tokens() const { return !final_.empty(); }
  // Counts the bytes of a name. Ids are counted when they are added.
  std::string count_name(const std::string& name) { return count_bytes(name.size()); }
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
  std::string count_bytes(std::size_t bytes);
  std::optional<Node> find(const std::string& id) const;
  absl::Status connect(const DraftArc& arc);

  const std::string file_;
  std::size_t bytes_ = 0;  // bytes of ids and names
  Net net_;
  std::unordered_map<std::string, Node> nodes_;
  std::vector<DraftArc> arcs_;
  std::unordered_map<std::string, std::string> references_;  // targets of reference nodes
  std::vector<DraftFinal> final_;
};

}  // namespace lockbench::internal
