// SPDX-License-Identifier: Apache-2.0

// The parsers of nets and of traces, on texts made at random.

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/petri/command/trace_file.h"
#include "harness/petri/net/model.h"
#include "harness/petri/net/net_event.h"
#include "harness/petri/net/pnml.h"
#include "harness/petri/net/replay.h"
#include "tests/fuzz/properties.h"
#include "tests/fuzz/targets.h"

namespace lockbench::fuzz {
namespace {

absl::StatusOr<Net> net_from(std::string_view text) {
  std::istringstream in{std::string(text)};
  return read_pnml(in, "f.pnml");
}

// A name that a document leaves out is written, so what is compared is the second document.
void fuzz_pnml(std::string_view text) {
  const absl::StatusOr<Net> net = net_from(text);
  if (!accepted(net)) return;
  const std::string printed = pnml_of(*net);
  const absl::StatusOr<Net> again = net_from(printed);
  require(again.ok(), "a printed net is read");
  require(pnml_of(*again) == printed, "a net comes back as it was");
  require(again->places.size() == net->places.size() &&
              again->transitions.size() == net->transitions.size(),
          "it has as many places and transitions");
}

Seeds pnml_seeds() {
  Seeds seeds{
      "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>"
      "<place id='p'><initialMarking><text>1</text></initialMarking></place>"
      "<transition id='t'/><arc id='a' source='p' target='t'/></page></net></pnml>"};
  for (const char* const primitive : {"global", "lease"}) {
    const absl::StatusOr<Net> net = build_model({.primitive = primitive, .threads = 2});
    require(net.ok(), "the models of the seeds are known");
    seeds.push_back(pnml_of(*net));
  }
  return seeds;
}

const Net& small_net() {
  static const Net net = build_model({.primitive = "global", .threads = 2}).value();
  return net;
}

void fuzz_trace(std::string_view text) {
  const absl::StatusOr<std::vector<std::string>> trace = trace_from(std::string(text), "f.txt");
  if (!accepted(trace)) return;
  std::vector<NetEvent> events;
  for (const std::string& line : *trace) {
    events.push_back(parse_event(line));
    require(parse_event(text_of(events.back())) == events.back(), "an event comes back as it was");
  }
  const ReplayResult result = replay(small_net(), events);
  require(result.conforms || result.refused < events.size(), "a refused event is one of the trace");
}

Seeds trace_seeds() {
  return {"# a trace\nthread 1 acquires a\nthread 1 releases a\nthread 2 acquires a\n",
          "{\"thread\": 1, \"event\": \"acquires a\"}\n{\"event\": \"thread 1 releases a\"}\n",
          "thread 1 takes a\nthread 1 lets go of a\nthread 2 dies\nfires\n"};
}

}  // namespace

std::vector<Target> net_targets() {
  return {{"pnml", fuzz_pnml, pnml_seeds}, {"trace", fuzz_trace, trace_seeds}};
}

}  // namespace lockbench::fuzz
