// SPDX-License-Identifier: Apache-2.0

#include <absl/strings/str_replace.h>

#include "harness/petri/net/pnml.h"

namespace lockbench {
namespace {

std::string escaped(const std::string& text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string text_element(const std::string& tag, const std::string& text) {
  return "<" + tag + "><text>" + escaped(text) + "</text></" + tag + ">";
}

const char kToolOpen[] = "<toolspecific tool=\"lockbench\" version=\"1\">";

std::string event_element(const NetTransition& transition) {
  return "<event>" + (transition.event ? escaped(text_of(*transition.event)) : "") + "</event>";
}

std::string arc_element(std::size_t number, const std::string& source, const std::string& target,
                        std::uint32_t weight) {
  return "      <arc id=\"arc" + std::to_string(number) + "\" source=\"" + escaped(source) +
         "\" target=\"" + escaped(target) + "\">" +
         (weight == 1 ? "" : text_element("inscription", std::to_string(weight))) + "</arc>\n";
}

}  // namespace

std::string pnml_of(const Net& net) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
      "  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
      "    " +
      text_element("name", net.name) + "\n    <page id=\"page\">\n";
  for (const NetPlace& place : net.places) {
    out += "      <place id=\"" + escaped(place.name) + "\">" +
           text_element("name", full_label(place)) +
           (place.tokens == 0 ? "" : text_element("initialMarking", std::to_string(place.tokens))) +
           (place.absence ? kToolOpen + std::string("<absence/></toolspecific>") : "") +
           "</place>\n";
  }
  std::string arcs;
  std::size_t number = 0;
  for (const NetTransition& transition : net.transitions) {
    out += "      <transition id=\"" + escaped(transition.name) + "\">" +
           text_element("name", full_label(transition)) + kToolOpen + event_element(transition) +
           "</toolspecific></transition>\n";
    for (const Arc& arc : transition.pre) {
      arcs += arc_element(++number, net.places[arc.place].name, transition.name, arc.weight);
    }
    for (const Arc& arc : transition.post) {
      arcs += arc_element(++number, transition.name, net.places[arc.place].name, arc.weight);
    }
  }
  out += arcs + "    </page>\n";
  if (!net.final_tokens.empty()) {
    out += std::string("    ") + kToolOpen + "<finalmarkings><marking>\n";
    for (const Arc& arc : net.final_tokens) {
      out += "      <place idref=\"" + escaped(net.places[arc.place].name) + "\"><text>" +
             std::to_string(arc.weight) + "</text></place>\n";
    }
    out += "    </marking></finalmarkings></toolspecific>\n";
  }
  return out + "  </net>\n</pnml>\n";
}

}  // namespace lockbench
