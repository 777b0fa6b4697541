// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/search.h"

#include <algorithm>

#include "harness/petri/expansion.h"
#include "harness/petri/homecoming.h"
#include "harness/petri/marking_set.h"
#include "harness/petri/packed_net.h"
#include "harness/petri/successors.h"

namespace lockbench {
namespace {

using internal::Expansion;
using internal::MarkingSet;
using internal::PackedNet;
using internal::Successors;
using internal::Words;

constexpr std::uint32_t kAskEvery = 256;  // expansions between two questions whether it is enough

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

template <std::size_t W>
class Search {
 public:
  Search(const Net& net, const PackedNet& packed, const SearchLimits& limits)
      : net_(net), packed_(packed), limits_(limits), successors_(packed) {}

  SearchResult run() {
    prepare();
    Words<W> start{};
    std::copy(packed_.initial.begin(), packed_.initial.end(), start.begin());
    successors_.fold(start);
    seen_.add(start, internal::hash_of<W>(start), 0);
    look_at(0);
    look_further();
    finish();
    if (limits_.searched) limits_.searched();
    if (result_.end == SearchEnd::kComplete && limits_.homecoming) come_home();
    return std::move(result_);
  }

 private:
  void prepare() {
    result_.folded = !packed_.symmetries.empty();
    fired_.assign(net_.transitions.size(), false);
    for (const internal::Field& field : packed_.fields) {
      if (field.mask != 1) wide_.push_back(field);
    }
    most_wide_.assign(wide_.size(), 0);
    result_.marking_bytes = W * sizeof(std::uint64_t);
  }

  void look_further() {
    Expansion<W> expansion(successors_, seen_);
    std::uint32_t next = 0;
    for (std::uint32_t steps = 0; next < seen_.size() && result_.end == SearchEnd::kComplete;
         ++steps) {
      const std::uint32_t known = seen_.size();
      expansion.clear();
      for (std::uint32_t n = 0; n < Expansion<W>::kTogether && next < known; ++n, ++next) {
        expansion.add(next);
      }
      expansion.announce();
      for (const auto& group : expansion.groups()) {
        if (result_.end == SearchEnd::kComplete) take_in(expansion, group);
      }
      if (steps % kAskEvery == 0 && limits_.enough && limits_.enough()) end_with(SearchEnd::kTime);
    }
  }

  void take_in(const Expansion<W>& expansion, const typename Expansion<W>::Group& group) {
    for (const auto& next : expansion.nexts(group)) {
      fired_[next.transition] = true;
      if (seen_.add(next.words, next.hash, group.from)) look_at(seen_.size() - 1);
    }
    if (group.overflow != successors_.kNoTransition) {
      end_with(SearchEnd::kTokens);
      note_overflow(group.overflow);
    } else if (group.begin == group.end && !is_end(seen_[group.from])) {
      if (result_.dead++ == 0) first_dead_ = group.from;
    }
    if (seen_.size() >= limits_.most_markings) end_with(SearchEnd::kMarkings);
  }

  void end_with(SearchEnd end) {
    if (result_.end == SearchEnd::kComplete) result_.end = end;
  }

  // A marking seen for the first time.
  void look_at(std::uint32_t i) {
    const Words<W>& marking = seen_[i];
    result_.stands_for = plus(result_.stands_for, successors_.stands_for(marking));
    for (std::size_t w = 0; w < W; ++w) ever_[w] |= marking[w];
    for (std::size_t f = 0; f < wide_.size(); ++f) {
      most_wide_[f] = std::max(most_wide_[f], wide_[f].read(marking.data()));
    }
    if (is_end(marking)) ++result_.ends;
    if (!result_.broken) check_claims(i);
    if (packed_.has_loose) check_growth(i);
  }

  bool is_end(const Words<W>& marking) const {
    return !packed_.final_tests.empty() &&
           std::all_of(packed_.final_tests.begin(), packed_.final_tests.end(),
                       [&marking](const internal::FieldTest& test) {
                         return test.field.read(marking.data()) >= test.least;
                       });
  }

  void check_claims(std::uint32_t i) {
    const Words<W>& marking = seen_[i];
    for (std::uint32_t c = 0; c < packed_.claims.size(); ++c) {
      const internal::PackedSum& claim = packed_.claims[c];
      std::uint64_t sum = 0;
      for (std::size_t w = 0; w < W; ++w) {
        // Few are set, and more than `most` need not be counted.
        std::uint64_t bits = marking[w] & claim.bits[w];
        for (; bits != 0 && sum <= claim.most; bits &= bits - 1) ++sum;
      }
      for (const internal::Field& field : claim.wide) sum += field.read(marking.data());
      if (sum <= claim.most) continue;
      result_.broken = c;
      result_.to_broken = way_to(i);
      return;
    }
  }

  // A marking that covers one on its own way can be grown without end (R. M. Karp, R. E. Miller,
  // "Parallel program schemata", 1969). An infinite net has such a pair on some way.
  void check_growth(std::uint32_t i) {
    for (std::uint32_t earlier = i; earlier != 0;) {
      earlier = seen_.parent(earlier);
      const std::vector<std::uint32_t> places = grown(seen_[earlier], seen_[i]);
      if (places.empty()) continue;
      end_with(SearchEnd::kUnbounded);
      result_.growing = places;
      result_.to_unbounded = way_to(i);
      return;
    }
  }

  // Places that have more in `later`; none when another has less.
  std::vector<std::uint32_t> grown(const Words<W>& earlier, const Words<W>& later) const {
    std::vector<std::uint32_t> places;
    for (std::uint32_t p = 0; p < packed_.fields.size(); ++p) {
      const std::uint64_t before = packed_.fields[p].read(earlier.data());
      const std::uint64_t after = packed_.fields[p].read(later.data());
      if (after < before) return {};
      if (after > before) places.push_back(p);
    }
    return places;
  }

  void note_overflow(std::uint32_t t) {
    for (const Arc& arc : net_.transitions[t].gives) {
      if (packed_.fields[arc.place].loose) result_.growing.push_back(arc.place);
    }
  }

  // The folded markings on the way, played again with threads that keep their names: each step is
  // some transition whose outcome folds to the next marking.
  Sequence way_to(std::uint32_t i) const {
    std::vector<std::uint32_t> chain;
    for (; i != 0; i = seen_.parent(i)) chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    Sequence way;
    Marking marking = initial_marking(net_);
    for (const std::uint32_t wanted : chain) {
      for (std::uint32_t t = 0; t < net_.transitions.size(); ++t) {
        if (!is_enabled(net_.transitions[t], marking)) continue;
        Marking next = marking;
        fire(net_.transitions[t], next);
        if (packed_words(next) != seen_[wanted]) continue;
        way.push_back(t);
        marking = std::move(next);
        break;
      }
    }
    return way;
  }

  Words<W> packed_words(const Marking& marking) const {
    Words<W> words{};
    for (std::size_t p = 0; p < marking.size(); ++p) {
      const internal::Field& field = packed_.fields[p];
      words[field.word] |= (marking[p] & field.mask) << field.shift;
    }
    successors_.fold(words);
    return words;
  }

  void finish() {
    result_.markings = seen_.size();
    result_.bytes = seen_.bytes();
    if (result_.dead != 0) result_.to_dead = way_to(first_dead_);
    std::size_t wide = 0;
    for (const internal::Field& field : packed_.fields) {
      const std::uint64_t most = field.mask == 1 ? field.read(ever_.data()) : most_wide_[wide++];
      result_.most_tokens.push_back(static_cast<std::uint32_t>(most));
    }
    if (result_.folded) share_among_threads();
    for (std::uint32_t t = 0; t < fired_.size(); ++t) {
      if (!fired_[t]) result_.never_fires.push_back(t);
    }
  }

  // What one thread could do or have, each like it could.
  void share_among_threads() {
    for (const Symmetry& symmetry : net_.symmetries) {
      for (std::size_t i = 0; i < symmetry.columns[0].size(); ++i) {
        std::uint32_t most = 0;
        for (const auto& column : symmetry.columns) {
          most = std::max(most, result_.most_tokens[column[i]]);
        }
        for (const auto& column : symmetry.columns) result_.most_tokens[column[i]] = most;
      }
    }
    // Images under exchanges of neighbours, there and back, reach every other thread's.
    std::vector<std::vector<std::uint32_t>> images;
    for (const Symmetry& symmetry : net_.symmetries) {
      for (std::size_t left = 0; left + 1 < symmetry.columns.size(); ++left) {
        images.push_back(exchanged(net_, symmetry, left).value());
      }
    }
    std::vector<std::uint32_t> todo;
    for (std::uint32_t t = 0; t < fired_.size(); ++t) {
      if (fired_[t]) todo.push_back(t);
    }
    while (!todo.empty()) {
      const std::uint32_t t = todo.back();
      todo.pop_back();
      for (const auto& image : images) {
        if (fired_[image[t]]) continue;
        fired_[image[t]] = true;
        todo.push_back(image[t]);
      }
    }
  }

  void come_home() {
    const PackedNet back_net = internal::reversed(net_, packed_);
    const Successors<W> back(back_net);
    const internal::HomecomingSearch<W> homecoming(seen_, successors_, back, limits_.enough);
    if (packed_.final_tests.empty()) {
      result_.homecoming = homecoming.to_home();
      return;
    }
    std::vector<std::uint32_t> ends;
    for (std::uint32_t i = 0; i < seen_.size(); ++i) {
      if (is_end(seen_[i])) ends.push_back(i);
    }
    result_.homecoming = homecoming.to_ends(std::move(ends));
  }

  const Net& net_;
  const PackedNet& packed_;
  const SearchLimits& limits_;
  const Successors<W> successors_;
  MarkingSet<W> seen_;
  SearchResult result_;
  std::vector<bool> fired_;
  Words<W> ever_{};
  std::vector<internal::Field> wide_;
  std::vector<std::uint64_t> most_wide_;
  std::uint32_t first_dead_ = 0;
};

template <std::size_t W>
SearchResult run(const Net& net, PackedNet packed, const SearchLimits& limits) {
  const auto widen = [](std::vector<std::uint64_t>& words) { words.resize(W); };
  widen(packed.initial);
  widen(packed.key_bits);
  for (internal::PackedTransition& transition : packed.transitions) {
    widen(transition.need);
    widen(transition.delta);
  }
  for (internal::PackedSum& claim : packed.claims) widen(claim.bits);
  packed.words = W;
  packed.by_key.resize(W * 64);
  return Search<W>(net, packed, limits).run();
}

}  // namespace

SearchResult search(const Net& net, const Invariants& invariants, const SearchLimits& limits) {
  PackedNet packed = internal::pack(net, invariants, limits.fold);
  const std::size_t words = packed.words;
  if (words <= 1) return run<1>(net, std::move(packed), limits);
  if (words <= 2) return run<2>(net, std::move(packed), limits);
  if (words <= 3) return run<3>(net, std::move(packed), limits);
  if (words <= 4) return run<4>(net, std::move(packed), limits);
  if (words <= 6) return run<6>(net, std::move(packed), limits);
  if (words <= 16) return run<16>(net, std::move(packed), limits);
  if (words <= kWidestWords) return run<kWidestWords>(net, std::move(packed), limits);
  return {.end = SearchEnd::kTooWide, .marking_bytes = words * sizeof(std::uint64_t)};
}

}  // namespace lockbench
