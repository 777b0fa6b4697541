// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/promela.h"

#include <cctype>

#include <absl/strings/str_cat.h>

namespace lockbench {
namespace {

std::string variable(std::uint32_t place) {
  return "p" + std::to_string(place);
}

// The text must not end the comment.
std::string comment(const std::string& text) {
  std::string safe = text;
  for (char& c : safe) {
    if (c == '*' || c == '/' || std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return "/* " + safe + " */";
}

std::string guard_of(const std::vector<Arc>& arcs) {
  std::string text;
  for (const Arc& arc : arcs) {
    text +=
        (text.empty() ? "" : " && ") + variable(arc.place) + " >= " + std::to_string(arc.weight);
  }
  return text.empty() ? "true" : text;
}

std::string changes_of(const NetTransition& transition) {
  std::string text;
  const auto change = [&text](const Arc& arc, const char* sign) {
    const std::string name = variable(arc.place);
    absl::StrAppend(&text, "; ", name, " = ", name, sign, arc.weight);
  };
  for (const Arc& arc : transition.pre) change(arc, " - ");
  for (const Arc& arc : transition.post) change(arc, " + ");
  return text;
}

}  // namespace

std::string promela_of(const Net& net) {
  std::string text = comment(net.name) + "\n";
  for (std::uint32_t p = 0; p < net.places.size(); ++p) {
    text += "int " + variable(p) + " = " + std::to_string(net.places[p].tokens) + "; " +
            comment(full_label(net.places[p])) + "\n";
  }
  text += "\nactive proctype net() {\n  do\n";
  for (const NetTransition& transition : net.transitions) {
    text += "  :: d_step { " + guard_of(transition.pre) + " ->" +
            (changes_of(transition).empty() ? " skip" : changes_of(transition).substr(1)) + " } " +
            comment(full_label(transition)) + "\n";
  }
  if (!net.final_tokens.empty()) {
    text += "  :: d_step { " + guard_of(net.final_tokens) + " -> skip } " +
            comment("a final marking") + "\n";
  }
  return text + "  od\n}\n";
}

}  // namespace lockbench
