// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/invariants.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace lockbench {
namespace {

using Weight = std::int64_t;
// Products of two of these fit a Weight.
constexpr Weight kLargest = std::numeric_limits<std::int32_t>::max();

// Sparse and sorted by index: places for `sum`, transitions for `change`.
using Sparse = std::vector<std::pair<std::uint32_t, Weight>>;

// A sum of places, and by how much each transition not yet eliminated changes it.
struct Row {
  Sparse sum;
  Sparse change;
};

Weight at(const Sparse& row, std::uint32_t index) {
  const auto found =
      std::lower_bound(row.begin(), row.end(), std::pair(index, Weight{0}),
                       [](const auto& x, const auto& y) { return x.first < y.first; });
  return found != row.end() && found->first == index ? found->second : 0;
}

// a·x + b·y, without its zeros.
Sparse combined(const Sparse& x, Weight a, const Sparse& y, Weight b) {
  Sparse out;
  auto i = x.begin();
  auto j = y.begin();
  while (i != x.end() || j != y.end()) {
    const bool first = j == y.end() || (i != x.end() && i->first <= j->first);
    const bool second = i == x.end() || (j != y.end() && j->first <= i->first);
    const std::uint32_t index = first ? i->first : j->first;
    const Weight weight = (first ? a * i->second : 0) + (second ? b * j->second : 0);
    if (weight != 0) out.emplace_back(index, weight);
    if (first) ++i;
    if (second) ++j;
  }
  return out;
}

// Divides by the greatest common divisor; false when a weight is too large to go on with.
bool reduce(Row& row) {
  Weight divisor = 0;
  for (const Sparse* part : {&row.sum, &row.change}) {
    for (const auto& [index, weight] : *part) divisor = std::gcd(divisor, weight);
  }
  bool fits = true;
  for (Sparse* part : {&row.sum, &row.change}) {
    for (auto& [index, weight] : *part) {
      weight /= divisor;
      fits = fits && weight <= kLargest && weight >= -kLargest;
    }
  }
  return fits;
}

bool supports_within(const Sparse& inner, const Sparse& outer) {
  if (inner.size() > outer.size()) return false;
  auto o = outer.begin();
  for (const auto& [index, weight] : inner) {
    while (o != outer.end() && o->first < index) ++o;
    if (o == outer.end() || o->first != index) return false;
  }
  return true;
}

class Elimination {
 public:
  Elimination(const Net& net, std::size_t most_rows) : most_rows_(most_rows) {
    rows_.resize(net.places.size());
    for (std::uint32_t p = 0; p < net.places.size(); ++p) rows_[p].sum = {{p, 1}};
    for (std::uint32_t t = 0; t < net.transitions.size(); ++t) add_column(net.transitions[t], t);
  }

  // Rows whose sums nothing changes; `all`: none was dropped on the way.
  std::vector<Row> run(bool& all) {
    while (const std::optional<std::uint32_t> column = cheapest_column()) eliminate(*column);
    all = all_;
    return std::move(rows_);
  }

 private:
  struct Signs {
    std::size_t positive = 0;
    std::size_t negative = 0;
  };

  void add_column(const NetTransition& transition, std::uint32_t t) {
    std::map<std::uint32_t, Weight> change;
    for (const Arc& arc : transition.gives) change[arc.place] += arc.weight;
    for (const Arc& arc : transition.takes) change[arc.place] -= arc.weight;
    for (const auto& [place, weight] : change) {
      if (weight != 0) rows_[place].change.emplace_back(t, weight);
    }
  }

  // The transition whose elimination adds the fewest rows.
  std::optional<std::uint32_t> cheapest_column() const {
    std::map<std::uint32_t, Signs> signs;
    for (const Row& row : rows_) {
      for (const auto& [t, weight] : row.change) {
        ++(weight > 0 ? signs[t].positive : signs[t].negative);
      }
    }
    std::optional<std::uint32_t> best;
    double least = 0;
    for (const auto& [t, s] : signs) {
      const double growth = static_cast<double>(s.positive) * static_cast<double>(s.negative) -
                            static_cast<double>(s.positive + s.negative);
      if (best && growth >= least) continue;
      best = t;
      least = growth;
    }
    return best;
  }

  void eliminate(std::uint32_t t) {
    std::vector<Row> kept;
    std::vector<Row> positive;
    std::vector<Row> negative;
    for (Row& row : rows_) {
      const Weight weight = at(row.change, t);
      (weight == 0 ? kept : weight > 0 ? positive : negative).push_back(std::move(row));
    }
    for (const Row& p : positive) {
      for (const Row& n : negative) {
        Row row = {.sum = combined(p.sum, -at(n.change, t), n.sum, at(p.change, t)),
                   .change = combined(p.change, -at(n.change, t), n.change, at(p.change, t))};
        add_minimal(kept, std::move(row));
      }
    }
    rows_ = std::move(kept);
  }

  void add_minimal(std::vector<Row>& kept, Row row) {
    for (const Row& other : kept) {
      if (supports_within(other.sum, row.sum)) return;
    }
    if (!reduce(row)) {
      all_ = false;
      return;
    }
    std::erase_if(kept, [&row](const Row& other) { return supports_within(row.sum, other.sum); });
    if (kept.size() >= most_rows_) {
      all_ = false;
      return;
    }
    kept.push_back(std::move(row));
  }

  const std::size_t most_rows_;
  std::vector<Row> rows_;
  bool all_ = true;
};

std::string counted(std::uint32_t weight, const std::string& words) {
  return weight == 1 ? words : std::to_string(weight) + " × " + words;
}

// Places of which the same is said: `holds a`, of threads 1, 2 and 3.
struct Term {
  std::string says;
  std::vector<std::string> threads;  // empty: it is about none
  std::uint32_t weight = 1;
};

void add_term(std::vector<Term>& terms, const std::string& words, std::uint32_t weight) {
  Term term = {.says = words, .weight = weight};
  if (const std::size_t end = words.find(' ', 7);
      words.starts_with("thread ") && end < words.size()) {
    term = {.says = words.substr(end + 1), .threads = {words.substr(7, end - 7)}, .weight = weight};
  }
  const auto same = std::find_if(terms.begin(), terms.end(), [&term](const Term& other) {
    return !term.threads.empty() && !other.threads.empty() && other.says == term.says &&
           other.weight == term.weight;
  });
  if (same == terms.end()) {
    terms.push_back(std::move(term));
  } else {
    same->threads.push_back(term.threads[0]);
  }
}

// `thread 1 holds a`, `holds a (thread 1, 2 or 3)`.
std::string words_of(const Term& term) {
  if (term.threads.empty()) return term.says;
  if (term.threads.size() == 1) return "thread " + term.threads[0] + " " + term.says;
  std::string list;
  for (std::size_t i = 0; i < term.threads.size(); ++i) {
    if (i != 0) list += i + 1 == term.threads.size() ? " or " : ", ";
    list += term.threads[i];
  }
  return term.says + " (thread " + list + ")";
}

// What the equation means to somebody who asks who may be inside.
std::string meaning_of(const Invariant& invariant) {
  const bool plain = std::all_of(invariant.places.begin(), invariant.places.end(),
                                 [](const Arc& arc) { return arc.weight == 1; });
  if (invariant.sum == 0) return ": never any of these";
  if (!plain) return "";
  if (invariant.places.size() == 1) return ": it never changes";
  if (invariant.sum == 1) return ": always exactly one of these, so never two";
  return ": always " + std::to_string(invariant.sum) + " of these, so never more";
}

}  // namespace

Invariants find_invariants(const Net& net, std::size_t most_rows) {
  Invariants invariants;
  for (Row& row : Elimination(net, most_rows).run(invariants.all)) {
    Invariant invariant;
    for (const auto& [place, weight] : row.sum) {
      invariant.places.push_back({place, static_cast<std::uint32_t>(weight)});
      invariant.sum += static_cast<std::uint64_t>(weight) * net.places[place].tokens;
    }
    invariants.found.push_back(std::move(invariant));
  }
  std::sort(invariants.found.begin(), invariants.found.end(),
            [](const Invariant& a, const Invariant& b) {
              return std::lexicographical_compare(
                  a.places.begin(), a.places.end(), b.places.begin(), b.places.end(),
                  [](const Arc& x, const Arc& y) { return x.place < y.place; });
            });
  return invariants;
}

std::vector<std::optional<std::uint64_t>> bounds_of(const Net& net, const Invariants& invariants) {
  std::vector<std::optional<std::uint64_t>> bounds(net.places.size());
  for (const Invariant& invariant : invariants.found) {
    for (const Arc& arc : invariant.places) {
      const std::uint64_t bound = invariant.sum / arc.weight;
      std::optional<std::uint64_t>& known = bounds[arc.place];
      known = known ? std::min(*known, bound) : bound;
    }
  }
  return bounds;
}

std::string sentence_of(const Net& net, const Invariant& invariant) {
  // Threads of which the same is said are named together.
  std::vector<Term> terms;
  for (const Arc& arc : invariant.places)
    add_term(terms, words_of(net.places[arc.place]), arc.weight);
  std::string text;
  for (const Term& term : terms) {
    text += (text.empty() ? "" : " + ") + counted(term.weight, words_of(term));
  }
  return text + " = " + std::to_string(invariant.sum) + meaning_of(invariant);
}

}  // namespace lockbench
