// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/search_report.h"

#include <algorithm>
#include <limits>
#include <set>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

namespace lockbench {
namespace {

constexpr std::size_t kLabelWidth = 13;
constexpr std::size_t kMostNamed = 5;

std::string grouped(std::uint64_t number) {
  if (number == std::numeric_limits<std::uint64_t>::max()) return "more than 10^19";
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string line(std::string label, const std::string& text) {
  label.resize(std::max(kLabelWidth, label.size() + 1), ' ');
  return label + text + "\n";
}

std::string more_line(const std::string& text) {
  return std::string(kLabelWidth, ' ') + text + "\n";
}

std::string counted(std::uint64_t number, const std::string& noun) {
  return absl::StrCat(grouped(number), " ", noun, number == 1 ? "" : "s");
}

std::string places_text(const Net& net, const std::vector<std::uint32_t>& places) {
  return absl::StrJoin(places, "; ", [&net](std::string* out, std::uint32_t place) {
    absl::StrAppend(out, full_label(net.places[place]));
  });
}

// Why the search is incomplete; empty if it is complete.
std::string limit_text(const Net& net, const SearchResult& result) {
  switch (result.end) {
    case SearchEnd::kComplete:
      return "";
    case SearchEnd::kTime:
      return "time limit reached (--budget)";
    case SearchEnd::kMarkings:
      return "limit of markings reached (--markings)";
    case SearchEnd::kMemory:
      return "memory limit reached (--memory)";
    case SearchEnd::kTokens:
      return "too many tokens to count in: " + places_text(net, result.growing);
    case SearchEnd::kUnbounded:
      return "the net is unbounded";
    case SearchEnd::kTooWide:
      return absl::StrCat("a marking takes ", grouped(result.marking_bytes), " bytes (maximum ",
                          grouped(kMostMarkingBytes), ")");
  }
  return "";
}

std::string faults_text(const Net& net, const SearchResult& result) {
  std::vector<std::string> faults;
  if (result.to_dead) faults.push_back("deadlock");
  if (result.violated) faults.push_back("violated property");
  if (result.end == SearchEnd::kUnbounded) faults.push_back("unbounded place");
  if (result.home.known && result.home.no_final != 0) {
    faults.push_back("final marking not always reachable");
  }
  if (!faults.empty()) return absl::StrJoin(faults, ", ");
  return absl::StrCat("no deadlock", net.properties.empty() ? "" : ", every property holds",
                      result.home.known && !net.final_tokens.empty()
                          ? ", the final marking is always reachable"
                          : "");
}

std::string verdict_part(const Net& net, const SearchResult& result) {
  switch (verdict_of(result)) {
    case SearchVerdict::kCorrect:
      return line("Verdict", "correct: " + faults_text(net, result));
    case SearchVerdict::kIncorrect:
      return line("Verdict", "incorrect: " + faults_text(net, result));
    case SearchVerdict::kUndecided:
      break;
  }
  return line("Verdict", "undecided: no fault in the part that was explored");
}

std::string states_part(const Net& net, const SearchResult& result) {
  std::string text = grouped(result.markings) + " explored";
  if (result.reduced) {
    absl::StrAppend(&text, " (", grouped(result.unreduced), " without symmetry reduction)");
  }
  const std::string limit = limit_text(net, result);
  return line("States", text + ": " + (limit.empty() ? "complete" : "incomplete, " + limit));
}

std::string deadlocks_part(const Net& net, const SearchResult& result) {
  if (!result.to_dead) {
    return line("Deadlocks", result.end == SearchEnd::kComplete ? "none" : "none so far");
  }
  return line("Deadlocks", absl::StrCat(grouped(result.dead), "; the first after ",
                                        counted(result.to_dead->size(), "step"), ":")) +
         more_line(trace_text(net, *result.to_dead)) +
         more_line("Marking: " + marking_text(net, marking_after(net, *result.to_dead)));
}

std::string violation_part(const Net& net, const SearchResult& result) {
  if (!result.violated) return "";
  return line("Violated", absl::StrCat(net.properties[*result.violated].text, ": false after ",
                                       counted(result.to_violation.size(), "step"), ":")) +
         more_line(trace_text(net, result.to_violation)) +
         more_line("Marking: " + marking_text(net, marking_after(net, result.to_violation)));
}

std::string bounds_part(const Net& net, const SearchResult& result) {
  if (result.end == SearchEnd::kUnbounded) {
    return line("Bounds", "none; each repetition of these steps adds tokens in " +
                              places_text(net, result.growing) + ":") +
           more_line(trace_text(net, result.to_unbounded));
  }
  if (result.most_tokens.empty()) return "";
  const auto most = std::max_element(result.most_tokens.begin(), result.most_tokens.end());
  if (*most <= 1) return line("Bounds", "at most 1 token in each place");
  const auto place = static_cast<std::size_t>(most - result.most_tokens.begin());
  return line("Bounds", absl::StrCat("at most ", *most, " tokens in a place (",
                                     full_label(net.places[place]), ")"));
}

std::string never_part(const Net& net, const SearchResult& result) {
  if (result.end != SearchEnd::kComplete) return "";
  return line("Never fires", result.never_fires.empty()
                                 ? "none: every transition can fire"
                                 : transitions_text(net, result.never_fires));
}

std::string home_part(const Net& net, const SearchResult& result) {
  const HomeStates& home = result.home;
  if (!home.known) return "";
  if (net.final_tokens.empty()) {
    return line("Home states", home.states == 0 ? "none: no marking is reachable from all others"
                                                : grouped(home.states) + " reachable from all");
  }
  return line("Home states",
              home.no_final == 0
                  ? "the final marking is reachable from every marking"
                  : "the final marking is not reachable from " + counted(home.no_final, "marking"));
}

// True if the invariant alone implies that the property holds.
bool proves(const Invariant& invariant, const SafetyProperty& property) {
  std::vector<std::uint32_t> places = property.places;
  std::sort(places.begin(), places.end());
  std::uint64_t most = 0;  // tokens of the property's places together
  for (auto p = places.begin(); p != places.end();) {
    const auto next = std::upper_bound(p, places.end(), *p);
    const std::uint32_t weight = weight_of(invariant.places, *p);
    if (weight == 0) return false;
    most = std::max(most, invariant.sum * static_cast<std::uint64_t>(next - p) / weight);
    p = next;
  }
  return most <= property.most;
}

// Removes from `invariants` those that it prints.
std::string proofs_part(const Net& net, std::vector<Invariant>& invariants) {
  std::string text;
  for (const SafetyProperty& property : net.properties) {
    const auto proof = std::find_if(
        invariants.begin(), invariants.end(),
        [&property](const Invariant& invariant) { return proves(invariant, property); });
    if (proof == invariants.end()) continue;
    text += line("Proved", property.text + ", because") + more_line(text_of(net, *proof));
    invariants.erase(proof);
  }
  return text;
}

using Support = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Support support_of(const Invariant& invariant, const std::vector<std::uint32_t>& image) {
  Support support;
  for (const Arc& arc : invariant.places) support.emplace_back(image[arc.place], arc.weight);
  std::sort(support.begin(), support.end());
  return support;
}

// The first of the invariants that are equal except for an exchange of threads.
std::vector<Invariant> one_of_each_kind(const Net& net, const std::vector<Invariant>& invariants) {
  std::vector<std::uint32_t> same(net.places.size());
  for (std::uint32_t p = 0; p < same.size(); ++p) same[p] = p;
  std::vector<std::vector<std::uint32_t>> exchanges;
  for (const Symmetry& symmetry : net.symmetries) {
    for (std::size_t left = 0; left + 1 < symmetry.components.size(); ++left) {
      exchanges.push_back(same);
      for (std::size_t i = 0; i < symmetry.components[left].size(); ++i) {
        std::swap(exchanges.back()[symmetry.components[left][i]],
                  exchanges.back()[symmetry.components[left + 1][i]]);
      }
    }
  }
  std::set<Support> known;
  std::vector<Invariant> kinds;
  for (const Invariant& invariant : invariants) {
    const bool listed = std::any_of(exchanges.begin(), exchanges.end(), [&](const auto& exchange) {
      const Support image = support_of(invariant, exchange);
      return image != support_of(invariant, same) && known.contains(image);
    });
    known.insert(support_of(invariant, same));
    if (!listed) kinds.push_back(invariant);
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const Invariant& a, const Invariant& b) {
    return a.places.size() < b.places.size();
  });
  return kinds;
}

std::string invariants_part(const Net& net, const Invariants& invariants, std::size_t most) {
  std::vector<Invariant> rest = invariants.found;
  const std::string proofs = proofs_part(net, rest);
  const std::vector<Invariant> kinds = one_of_each_kind(net, rest);
  if (kinds.empty()) {
    return proofs.empty() ? line("Invariants", "none with positive weights") : proofs;
  }
  std::string text =
      proofs +
      line("Invariants",
           absl::StrCat("hold even if the search is incomplete",
                        net.symmetries.empty() ? "" : "; one of each kind that threads share"));
  for (std::size_t i = 0; i < std::min(most, kinds.size()); ++i) {
    text += more_line(text_of(net, kinds[i]));
  }
  if (kinds.size() > most) {
    text += more_line(absl::StrCat("and ", kinds.size() - most, " longer ones"));
  }
  if (!invariants.all) text += more_line("and possibly more: the limit was reached");
  return text;
}

}  // namespace

SearchVerdict verdict_of(const SearchResult& result) {
  const bool faulty = result.to_dead || result.violated || result.end == SearchEnd::kUnbounded ||
                      (result.home.known && result.home.no_final != 0);
  if (faulty) return SearchVerdict::kIncorrect;
  return result.end == SearchEnd::kComplete ? SearchVerdict::kCorrect : SearchVerdict::kUndecided;
}

std::string trace_text(const Net& net, const std::vector<std::uint32_t>& steps) {
  std::vector<std::string> texts;
  for (const std::uint32_t t : steps) {
    if (net.transitions[t].event) texts.push_back(full_label(net.transitions[t]));
  }
  return texts.empty() ? "(silent transitions only)" : absl::StrJoin(texts, "; ");
}

std::string marking_text(const Net& net, const Marking& marking) {
  std::vector<std::string> owned;
  std::vector<std::string> all;
  for (std::uint32_t p = 0; p < marking.size(); ++p) {
    if (marking[p] == 0) continue;
    std::string text = full_label(net.places[p]);
    if (marking[p] != 1) absl::StrAppend(&text, " (", marking[p], ")");
    all.push_back(text);
    if (!net.places[p].owner.empty()) owned.push_back(std::move(text));
  }
  if (all.empty()) return "no place is marked";
  return absl::StrJoin(owned.empty() ? all : owned, "; ");
}

std::vector<std::string> refusal_text(const Net& net, const ReplayResult& replay,
                                      const std::string& event) {
  const std::string possible = absl::StrJoin(
      replay.possible, ", ",
      [](std::string* out, const NetEvent& other) { absl::StrAppend(out, text_of(other)); });
  return {absl::StrCat(
              "event ", replay.refused + 1, ", '", event, "': ",
              replay.unknown ? "not an event of this net" : "the code did what its model forbids",
              replay.certain ? "" : " (uncertain: not every explanation was followed)"),
          "Marking: " + marking_text(net, replay.before),
          "Possible: " + (possible.empty() ? "nothing" : possible)};
}

std::string transitions_text(const Net& net, const std::vector<std::uint32_t>& transitions) {
  const std::size_t named = std::min(kMostNamed, transitions.size());
  std::string text =
      absl::StrJoin(transitions.begin(), transitions.begin() + static_cast<std::ptrdiff_t>(named),
                    "; ", [&net](std::string* out, std::uint32_t t) {
                      absl::StrAppend(out, full_label(net.transitions[t]));
                    });
  if (transitions.size() > named) {
    absl::StrAppend(&text, "; and ", transitions.size() - named, " more");
  }
  return text;
}

Marking marking_after(const Net& net, const std::vector<std::uint32_t>& steps) {
  Marking marking = initial_marking(net);
  for (const std::uint32_t t : steps) fire(net.transitions[t], marking);
  return marking;
}

std::string search_text(const Net& net, const Invariants& invariants, const SearchResult& result,
                        std::size_t most_invariants) {
  return absl::StrCat(net.name, ": ", counted(net.places.size(), "place"), ", ",
                      counted(net.transitions.size(), "transition"), "\n\n",
                      verdict_part(net, result), states_part(net, result),
                      deadlocks_part(net, result), violation_part(net, result),
                      bounds_part(net, result), never_part(net, result), home_part(net, result),
                      invariants_part(net, invariants, most_invariants));
}

}  // namespace lockbench
