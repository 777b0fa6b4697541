// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/story.h"

#include <algorithm>
#include <limits>
#include <set>

namespace lockbench {
namespace {

constexpr std::size_t kLabelWidth = 13;
constexpr std::size_t kMostNamed = 5;

std::string grouped(std::uint64_t number) {
  if (number == std::numeric_limits<std::uint64_t>::max()) return "more than 18 quintillion";
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
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

// The first few names, and how many there are besides.
template <class Name>
std::string listed(const std::vector<std::uint32_t>& indices, const Name& name) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNamed, indices.size()); ++i) {
    text += (i == 0 ? "" : "; ") + name(indices[i]);
  }
  if (indices.size() > kMostNamed) {
    text += "; and " + std::to_string(indices.size() - kMostNamed) + " more";
  }
  return text;
}

std::string how_it_ended(const Net& net, const SearchResult& result) {
  const auto place = [&net](std::uint32_t p) { return words_of(net.places[p]); };
  switch (result.end) {
    case SearchEnd::kComplete:
      return "";
    case SearchEnd::kTime:
      return "the budget of time was used up; --budget gives more";
    case SearchEnd::kMarkings:
      return "as many as may be kept; --markings allows more";
    case SearchEnd::kTokens:
      return "too many tokens to count in: " + listed(result.growing, place);
    case SearchEnd::kUnbounded:
      return "there is no end of them, see below";
    case SearchEnd::kTooWide:
      return "none: one would take " + grouped(result.marking_bytes) + " bytes, and the most is " +
             grouped(kWidestWords * sizeof(std::uint64_t));
  }
  return "";
}

std::string markings_part(const Net& net, const SearchResult& result) {
  std::string text = grouped(result.markings);
  if (result.folded) {
    text += ", threads in like states folded; they stand for " + grouped(result.stands_for);
  }
  const std::string ended = how_it_ended(net, result);
  return line("Markings", ended.empty() ? text + "; all there are" : text + "; " + ended);
}

std::string dead_part(const Net& net, const SearchResult& result) {
  if (!result.to_dead) {
    const bool all = result.end == SearchEnd::kComplete;
    return line("Dead", std::string("none") + (net.final_tokens.empty() ? "" : " but the end") +
                            (all ? "" : " so far"));
  }
  const Marking dead = after(net, *result.to_dead);
  return line("Dead", counted(result.dead, "marking") + " in which nothing can happen" +
                          (net.final_tokens.empty() ? "" : " and not all have ended") +
                          "; the first after " + counted(result.to_dead->size(), "step") + ":") +
         more_line(told(net, *result.to_dead)) +
         more_line("Then for ever: " + whereabouts(net, dead));
}

std::string claims_part(const Net& net, const SearchResult& result) {
  if (!result.broken) return "";
  return line("Broken", net.claims[*result.broken].says + ": not so after " +
                            counted(result.to_broken.size(), "step") + ":") +
         more_line(told(net, result.to_broken)) +
         more_line("Then: " + whereabouts(net, after(net, result.to_broken)));
}

std::string bounds_part(const Net& net, const SearchResult& result) {
  const auto place = [&net](std::uint32_t p) { return words_of(net.places[p]); };
  if (result.end == SearchEnd::kUnbounded) {
    return line("Bounded", "no: this can go on for ever, each time with more tokens in " +
                               listed(result.growing, place) + ":") +
           more_line(told(net, result.to_unbounded));
  }
  if (result.most_tokens.empty()) return "";
  const auto most = std::max_element(result.most_tokens.begin(), result.most_tokens.end());
  if (*most <= 1) return line("Bounded", "no place ever holds more than one token");
  return line("Bounded", "no place ever holds more than " + std::to_string(*most) + " tokens (" +
                             place(static_cast<std::uint32_t>(most - result.most_tokens.begin())) +
                             ")");
}

std::string never_part(const Net& net, const SearchResult& result) {
  if (result.end != SearchEnd::kComplete) return "";
  if (result.never_fires.empty()) return line("Never fires", "none: every transition can happen");
  return line("Never fires", listed(result.never_fires, [&net](std::uint32_t t) {
                return words_of(net.transitions[t]);
              }));
}

std::string home_part(const Net& net, const SearchResult& result) {
  const Homecoming& home = result.homecoming;
  if (!home.known) return "";
  if (net.final_tokens.empty()) {
    return line("Home", home.home == 0
                            ? "no marking can be reached from everywhere"
                            : counted(home.home, "marking") + " can be reached from everywhere");
  }
  return line("Home", home.astray == 0 ? "from every marking the end can be reached"
                                       : "from " + counted(home.astray, "marking") +
                                             " the end can no longer be reached");
}

// Whether the sum alone rules out that the claim is ever broken.
bool proves(const Invariant& invariant, const Claim& claim) {
  std::vector<std::uint32_t> claimed = claim.places;
  std::sort(claimed.begin(), claimed.end());
  std::uint64_t most = 0;  // of the claim's places together
  for (auto p = claimed.begin(); p != claimed.end();) {
    const auto next = std::upper_bound(p, claimed.end(), *p);
    const auto arc = std::find_if(invariant.places.begin(), invariant.places.end(),
                                  [p](const Arc& a) { return a.place == *p; });
    if (arc == invariant.places.end()) return false;
    const auto times = static_cast<std::uint64_t>(next - p);
    most = std::max(most, invariant.sum * times / arc->weight);
    p = next;
  }
  return most <= claim.most;
}

// Takes the sums that it prints out of `invariants`.
std::string proofs_part(const Net& net, std::vector<Invariant>& invariants) {
  std::string text;
  for (const Claim& claim : net.claims) {
    const auto proof =
        std::find_if(invariants.begin(), invariants.end(),
                     [&claim](const Invariant& invariant) { return proves(invariant, claim); });
    if (proof == invariants.end()) continue;
    text += line("Proved", claim.says + ", since") + more_line(sentence_of(net, *proof));
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

// Of invariants that say the same of different threads, the first.
std::vector<Invariant> one_of_each_kind(const Net& net, const std::vector<Invariant>& invariants) {
  std::vector<std::uint32_t> same(net.places.size());
  for (std::uint32_t p = 0; p < same.size(); ++p) same[p] = p;
  std::vector<std::vector<std::uint32_t>> exchanges;
  for (const Symmetry& symmetry : net.symmetries) {
    for (std::size_t left = 0; left + 1 < symmetry.columns.size(); ++left) {
      exchanges.push_back(same);
      for (std::size_t i = 0; i < symmetry.columns[left].size(); ++i) {
        std::swap(exchanges.back()[symmetry.columns[left][i]],
                  exchanges.back()[symmetry.columns[left + 1][i]]);
      }
    }
  }
  std::set<Support> known;
  std::vector<Invariant> kinds;
  for (const Invariant& invariant : invariants) {
    const bool told = std::any_of(exchanges.begin(), exchanges.end(), [&](const auto& exchange) {
      const Support image = support_of(invariant, exchange);
      return image != support_of(invariant, same) && known.contains(image);
    });
    known.insert(support_of(invariant, same));
    if (!told) kinds.push_back(invariant);
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
           "hold for the net however far the search came" +
               std::string(net.symmetries.empty() ? "" : "; one of those that threads share"));
  for (std::size_t i = 0; i < std::min(most, kinds.size()); ++i) {
    text += more_line(sentence_of(net, kinds[i]));
  }
  if (kinds.size() > most) {
    text += more_line("and " + std::to_string(kinds.size() - most) + " longer ones");
  }
  if (!invariants.all)
    text += more_line("and perhaps others: there were too many to find them all");
  return text;
}

}  // namespace

Verdict verdict_of(const SearchResult& result) {
  const bool faulty = result.to_dead || result.broken || result.end == SearchEnd::kUnbounded ||
                      (result.homecoming.known && result.homecoming.astray != 0);
  if (faulty) return Verdict::kFaulty;
  return result.end == SearchEnd::kComplete ? Verdict::kSound : Verdict::kUnfinished;
}

std::string told(const Net& net, const std::vector<std::uint32_t>& steps) {
  std::string text;
  for (const std::uint32_t t : steps) {
    if (net.transitions[t].event.empty()) continue;
    text += (text.empty() ? "" : "; ") + words_of(net.transitions[t]);
  }
  return text.empty() ? "(nothing that can be seen)" : text;
}

std::string whereabouts(const Net& net, const Marking& marking) {
  std::string threads;
  std::string all;
  for (std::uint32_t p = 0; p < marking.size(); ++p) {
    if (marking[p] == 0) continue;
    const std::string& words = words_of(net.places[p]);
    const std::string text =
        words + (marking[p] == 1 ? "" : " (" + std::to_string(marking[p]) + ")");
    all += (all.empty() ? "" : "; ") + text;
    if (words.starts_with("thread ")) threads += (threads.empty() ? "" : "; ") + text;
  }
  if (all.empty()) return "no place is marked";
  return threads.empty() ? all : threads;
}

std::vector<std::string> refusal_of(const Net& net, const Replay& replay,
                                    const std::string& event) {
  std::string possible;
  for (const std::string& other : replay.possible) {
    possible += (possible.empty() ? "" : ", ") + other;
  }
  return {"event " + std::to_string(replay.refused + 1) + ", '" + event + "': " +
              (replay.unknown ? "no event of this net" : "the code did what its model forbids") +
              (replay.certain ? "" : " (or went a way that was given up: too many were open)"),
          "Then: " + whereabouts(net, replay.before),
          "Possible was: " + (possible.empty() ? "nothing" : possible)};
}

std::string some_of(const Net& net, const std::vector<std::uint32_t>& transitions) {
  return listed(transitions, [&net](std::uint32_t t) { return words_of(net.transitions[t]); });
}

Marking after(const Net& net, const std::vector<std::uint32_t>& steps) {
  Marking marking = initial_marking(net);
  for (const std::uint32_t t : steps) fire(net.transitions[t], marking);
  return marking;
}

std::string summary_of(const Net& net, const Invariants& invariants, const SearchResult& result,
                       std::size_t most_sentences) {
  return net.name + ": " + counted(net.places.size(), "place") + ", " +
         counted(net.transitions.size(), "transition") + "\n\n" + markings_part(net, result) +
         dead_part(net, result) + claims_part(net, result) + bounds_part(net, result) +
         never_part(net, result) + home_part(net, result) +
         invariants_part(net, invariants, most_sentences);
}

}  // namespace lockbench
