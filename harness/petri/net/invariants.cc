// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/invariants.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace lockbench {
namespace {

using Weight = std::int64_t;
// Products of two of these fit a Weight.
constexpr Weight kLargest = std::numeric_limits<std::int32_t>::max();
// Pairs of rows that are combined between two calls of `stop`.
constexpr std::size_t kPairs = 64;

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

// a·x + b·y without zeros.
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

// Divides by the greatest common divisor. False if a weight is too large to continue with.
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
  Elimination(const Net& net, std::size_t most_rows, const std::function<bool()>& stop)
      : most_rows_(most_rows), stop_(stop), signs_(net.transitions.size()) {
    rows_.resize(net.places.size());
    for (std::uint32_t p = 0; p < net.places.size(); ++p) rows_[p].sum = {{p, 1}};
    std::set<Sparse> known;
    for (std::uint32_t t = 0; t < net.transitions.size(); ++t) {
      const Sparse change = change_by(net.transitions[t]);
      // Transitions with the same effect, or the inverse one, are one column.
      if (!known.insert(change).second) continue;
      for (const auto& [place, weight] : change) rows_[place].change.emplace_back(t, weight);
    }
    for (const Row& row : rows_) count(row, 1);
  }

  // Rows whose sums no transition changes. `all` is false if a limit dropped rows.
  std::vector<Row> run(bool& all) {
    while (!must_stop()) {
      const std::optional<std::uint32_t> column = cheapest_column();
      if (!column) break;
      eliminate(*column);
    }
    std::erase_if(rows_, [](const Row& row) { return !row.change.empty(); });
    all = all_;
    return std::move(rows_);
  }

 private:
  // How many rows a transition changes upwards and downwards.
  struct Signs {
    std::int64_t positive = 0;
    std::int64_t negative = 0;
  };

  bool must_stop() {
    if (!stop_ || !stop_()) return false;
    all_ = false;
    return true;
  }

  // By how much firing changes each place, with a positive first weight.
  static Sparse change_by(const NetTransition& transition) {
    std::map<std::uint32_t, Weight> change;
    for (const Arc& arc : transition.post) change[arc.place] += arc.weight;
    for (const Arc& arc : transition.pre) change[arc.place] -= arc.weight;
    std::erase_if(change, [](const auto& entry) { return entry.second == 0; });
    Sparse out(change.begin(), change.end());
    if (!out.empty() && out[0].second < 0) {
      for (auto& [place, weight] : out) weight = -weight;
    }
    return out;
  }

  void count(const Row& row, std::int64_t times) {
    for (const auto& [t, weight] : row.change) {
      (weight > 0 ? signs_[t].positive : signs_[t].negative) += times;
    }
  }

  // The transition whose elimination adds the fewest rows.
  std::optional<std::uint32_t> cheapest_column() const {
    std::optional<std::uint32_t> best;
    std::int64_t least = 0;
    for (std::uint32_t t = 0; t < signs_.size(); ++t) {
      const auto [positive, negative] = signs_[t];
      if (positive + negative == 0) continue;
      const std::int64_t growth = positive * negative - (positive + negative);
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
      if (weight != 0) count(row, -1);
      (weight == 0 ? kept : weight > 0 ? positive : negative).push_back(std::move(row));
    }
    std::size_t pairs = 0;
    bool stopped = false;
    for (const Row& p : positive) {
      for (const Row& n : negative) {
        stopped = stopped || (++pairs % kPairs == 0 && must_stop());
        if (stopped) break;
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
    std::erase_if(kept, [&](const Row& other) {
      if (!supports_within(row.sum, other.sum)) return false;
      count(other, -1);
      return true;
    });
    if (kept.size() >= most_rows_) {
      all_ = false;
      return;
    }
    count(row, 1);
    kept.push_back(std::move(row));
  }

  const std::size_t most_rows_;
  const std::function<bool()>& stop_;
  std::vector<Signs> signs_;  // per transition
  std::vector<Row> rows_;
  bool all_ = true;
};

std::string weighted(std::uint32_t weight, const std::string& words) {
  return weight == 1 ? words : std::to_string(weight) + " × " + words;
}

// Places of several threads with one label: `holds a` of threads 1, 2 and 3.
struct Term {
  const NetPlace* place = nullptr;  // the first of them
  std::vector<std::string> owners;
  std::uint32_t weight = 1;
};

void add_term(std::vector<Term>& terms, const NetPlace& place, std::uint32_t weight) {
  const auto same = std::find_if(terms.begin(), terms.end(), [&](const Term& other) {
    return !place.owner.empty() && !other.place->owner.empty() && !place.label.empty() &&
           other.place->label == place.label && other.weight == weight;
  });
  if (same == terms.end()) {
    terms.push_back({.place = &place, .owners = {place.owner}, .weight = weight});
  } else {
    same->owners.push_back(place.owner);
  }
}

// `thread 1 holds a`, `holds a (thread 1, 2 or 3)`
std::string text_of(const Term& term) {
  if (term.owners.size() == 1) return full_label(*term.place);
  std::string list = term.owners[0];
  for (std::size_t i = 1; i < term.owners.size(); ++i) {
    list += i + 1 == term.owners.size() ? " or " : ", ";
    list += term.owners[i].substr(term.owners[i].find(' ') + 1);
  }
  return term.place->label + " (" + list + ")";
}

// Says what the equation implies about the number of threads inside.
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

Invariants find_invariants(const Net& net, std::size_t most_rows,
                           const std::function<bool()>& stop) {
  Invariants invariants;
  for (Row& row : Elimination(net, most_rows, stop).run(invariants.all)) {
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

std::string text_of(const Net& net, const Invariant& invariant) {
  std::vector<Term> terms;
  for (const Arc& arc : invariant.places) add_term(terms, net.places[arc.place], arc.weight);
  std::string text;
  for (const Term& term : terms) {
    text += (text.empty() ? "" : " + ") + weighted(term.weight, text_of(term));
  }
  return text + " = " + std::to_string(invariant.sum) + meaning_of(invariant);
}

}  // namespace lockbench
