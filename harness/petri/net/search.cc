// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/search.h"

#include <algorithm>
#include <ctime>

#include "harness/petri/net/home_states.h"
#include "harness/petri/net/marking_set.h"
#include "harness/petri/net/packed_net.h"
#include "harness/petri/net/successors.h"

namespace lockbench {
namespace {

using internal::Expansion;
using internal::MarkingSet;
using internal::PackedNet;
using internal::Successors;
using internal::Words;

// Comparisons of an earlier marking with a later one between two calls of `stop`.
constexpr std::uint32_t kComparisons = 4096;

// Bytes per marking that the analysis of home states needs, at most: two bits, and a stack of
// indices that grows by doubling.
constexpr std::uint64_t kHomeBytes = 13;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

template <std::size_t W>
class Search {
 public:
  Search(const Net& net, PackedNet& packed, const SearchLimits& limits)
      : net_(net), packed_(packed), limits_(limits), successors_(packed) {}

  SearchResult run() {
    prepare();
    Words<W> start{};
    std::copy(packed_.initial.begin(), packed_.initial.end(), start.begin());
    successors_.canonicalize(start);
    seen_.add(start, internal::hash_of<W>(start), 0);
    note_marking(0);
    const std::clock_t began = std::clock();
    explore();
    result_.cpu_s = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    finish();
    if (result_.end == SearchEnd::kComplete && limits_.home_states) find_home_states();
    return std::move(result_);
  }

 private:
  void prepare() {
    result_.reduced = !packed_.symmetries.empty();
    fired_.assign(net_.transitions.size(), false);
    for (const internal::Field& field : packed_.fields) {
      if (field.mask != 1) wide_.push_back(field);
    }
    most_wide_.assign(wide_.size(), 0);
    result_.marking_bytes = W * sizeof(std::uint64_t);
    base_bytes_ = limits_.resident();
  }

  bool must_stop() const { return limits_.stop && limits_.stop(); }

  void explore() {
    Expansion<W> expansion(successors_, seen_);
    std::uint32_t next = 0;
    while (next < seen_.size() && result_.end == SearchEnd::kComplete) {
      const std::uint32_t known = seen_.size();
      expansion.clear();
      while (!expansion.full() && next < known) expansion.add(next++);
      expansion.prefetch();
      for (const auto& group : expansion.groups()) {
        if (result_.end == SearchEnd::kComplete) add_successors(expansion, group);
      }
      if (must_stop()) end_with(SearchEnd::kTime);
    }
  }

  void add_successors(const Expansion<W>& expansion, const typename Expansion<W>::Group& group) {
    for (const auto& next : expansion.nexts(group)) {
      fired_[next.transition] = true;
      if (!seen_.add(next.words, next.hash, group.from)) continue;
      note_marking(seen_.size() - 1);
      if (base_bytes_ + seen_.bytes_with_one_more() > limits_.memory) {
        return end_with(SearchEnd::kMemory);
      }
    }
    if (group.overflow != successors_.kNoTransition) {
      end_with(SearchEnd::kTokens);
      note_overflow(group.overflow);
    } else if (group.begin == group.end && !is_final_marking(seen_[group.from])) {
      if (result_.dead++ == 0) first_dead_ = group.from;
    }
    if (seen_.size() >= limits_.most_markings) end_with(SearchEnd::kMarkings);
  }

  void end_with(SearchEnd end) {
    if (result_.end == SearchEnd::kComplete) result_.end = end;
  }

  // Marking `i` is new.
  void note_marking(std::uint32_t i) {
    const Words<W>& marking = seen_[i];
    result_.unreduced = plus(result_.unreduced, successors_.represented(marking));
    for (std::size_t w = 0; w < W; ++w) ever_[w] |= marking[w];
    for (std::size_t f = 0; f < wide_.size(); ++f) {
      most_wide_[f] = std::max(most_wide_[f], wide_[f].read(marking.data()));
    }
    if (is_final_marking(marking)) ++result_.final_markings;
    if (!result_.violated) check_properties(i);
    if (packed_.has_unbounded) check_growth(i);
  }

  bool is_final_marking(const Words<W>& marking) const {
    return !packed_.final_tests.empty() &&
           std::all_of(packed_.final_tests.begin(), packed_.final_tests.end(),
                       [&marking](const internal::FieldTest& test) {
                         return test.field.read(marking.data()) >= test.least;
                       });
  }

  void check_properties(std::uint32_t i) {
    const Words<W>& marking = seen_[i];
    for (std::uint32_t c = 0; c < packed_.properties.size(); ++c) {
      const internal::PackedSum& property = packed_.properties[c];
      std::uint64_t sum = 0;
      for (std::size_t w = 0; w < W; ++w) {
        // Few bits are set, and counting beyond `most` is not necessary.
        std::uint64_t bits = marking[w] & property.bits[w];
        for (; bits != 0 && sum <= property.most; bits &= bits - 1) ++sum;
      }
      for (const internal::Field& field : property.wide) sum += field.read(marking.data());
      if (sum <= property.most) continue;
      result_.violated = c;
      result_.to_violation = path_to(i);
      return;
    }
  }

  // If a marking covers an earlier one on its path, the steps between them can be repeated forever.
  // An unbounded net has a pair of this kind on some path (R. M. Karp, R. E. Miller, "Parallel
  // program schemata", 1969).
  void check_growth(std::uint32_t i) {
    for (std::uint32_t earlier = i; earlier != 0;) {
      earlier = seen_.parent(earlier);
      if (++comparisons_ % kComparisons == 0 && must_stop()) return end_with(SearchEnd::kTime);
      const std::vector<std::uint32_t> places = grown(seen_[earlier], seen_[i]);
      if (places.empty()) continue;
      end_with(SearchEnd::kUnbounded);
      result_.growing = places;
      result_.to_unbounded = path_to(i);
      return;
    }
  }

  // Places that have more tokens in `later`; none if another place has fewer.
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
    for (const Arc& arc : net_.transitions[t].post) {
      if (packed_.fields[arc.place].unbounded) result_.growing.push_back(arc.place);
    }
  }

  Sequence path_to(std::uint32_t i) const {
    std::vector<std::uint32_t> chain;
    for (; i != 0; i = seen_.parent(i)) chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    return result_.reduced ? reduced_path(chain) : plain_path(chain);
  }

  Sequence plain_path(const std::vector<std::uint32_t>& chain) const {
    Sequence path;
    std::vector<typename Successors<W>::Next> nexts;
    for (const std::uint32_t wanted : chain) {
      nexts.clear();
      successors_.add_to(nexts, seen_[seen_.parent(wanted)]);
      const auto step = std::find_if(nexts.begin(), nexts.end(),
                                     [&](const auto& next) { return next.words == seen_[wanted]; });
      path.push_back(step->transition);
    }
    return path;
  }

  // Replays the path with the real names of the threads: each step is a transition whose outcome
  // has the next marking of the chain as its representative.
  Sequence reduced_path(const std::vector<std::uint32_t>& chain) const {
    Sequence path;
    Marking marking = initial_marking(net_);
    for (const std::uint32_t wanted : chain) {
      for (std::uint32_t t = 0; t < net_.transitions.size(); ++t) {
        if (!is_enabled(net_.transitions[t], marking)) continue;
        Marking next = marking;
        fire(net_.transitions[t], next);
        if (packed_words(next) != seen_[wanted]) continue;
        path.push_back(t);
        marking = std::move(next);
        break;
      }
    }
    return path;
  }

  Words<W> packed_words(const Marking& marking) const {
    Words<W> words{};
    for (std::size_t p = 0; p < marking.size(); ++p) {
      const internal::Field& field = packed_.fields[p];
      words[field.word] |= (marking[p] & field.mask) << field.shift;
    }
    successors_.canonicalize(words);
    return words;
  }

  void finish() {
    result_.markings = seen_.size();
    result_.bytes = seen_.bytes();
    if (result_.dead != 0) result_.to_dead = path_to(first_dead_);
    std::size_t wide = 0;
    for (const internal::Field& field : packed_.fields) {
      const std::uint64_t most = field.mask == 1 ? field.read(ever_.data()) : most_wide_[wide++];
      result_.most_tokens.push_back(static_cast<std::uint32_t>(most));
    }
    if (result_.reduced) extend_to_all_threads();
    for (std::uint32_t t = 0; t < fired_.size(); ++t) {
      if (!fired_[t]) result_.never_fires.push_back(t);
    }
  }

  // If one thread of a symmetry can do or reach something, the others can, too.
  void extend_to_all_threads() {
    for (const Symmetry& symmetry : net_.symmetries) {
      for (std::size_t i = 0; i < symmetry.components[0].size(); ++i) {
        std::uint32_t most = 0;
        for (const auto& component : symmetry.components) {
          most = std::max(most, result_.most_tokens[component[i]]);
        }
        for (const auto& component : symmetry.components) result_.most_tokens[component[i]] = most;
      }
    }
    // Exchanges of neighbouring threads generate every permutation of the threads.
    std::vector<std::vector<std::uint32_t>> images;
    for (const Symmetry& symmetry : net_.symmetries) {
      for (std::size_t left = 0; left + 1 < symmetry.components.size(); ++left) {
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

  void find_home_states() {
    if (limits_.resident() + seen_.size() * kHomeBytes > limits_.memory) return;
    PackedNet backward_net = internal::reversed(net_, packed_);
    const Successors<W> backward(backward_net);
    const internal::HomeStateSearch<W> home(seen_, successors_, backward, limits_.stop);
    if (packed_.final_tests.empty()) {
      result_.home = home.from_everywhere();
      return;
    }
    std::vector<std::uint32_t> final_markings;
    for (std::uint32_t i = 0; i < seen_.size(); ++i) {
      if (is_final_marking(seen_[i])) final_markings.push_back(i);
    }
    result_.home = home.to_final(std::move(final_markings));
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
  std::uint32_t comparisons_ = 0;
  std::uint64_t base_bytes_ = 0;  // resident before the first marking
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
  for (internal::PackedSum& property : packed.properties) widen(property.bits);
  packed.words = W;
  packed.by_key.resize(W * 64);
  return Search<W>(net, packed, limits).run();
}

}  // namespace

SearchResult search(const Net& net, const Invariants& invariants, const SearchLimits& limits) {
  PackedNet packed = internal::pack(net, invariants, limits.reduce);
  const std::size_t words = packed.words;
  if (words <= 1) return run<1>(net, std::move(packed), limits);
  if (words <= 2) return run<2>(net, std::move(packed), limits);
  if (words <= 3) return run<3>(net, std::move(packed), limits);
  if (words <= 4) return run<4>(net, std::move(packed), limits);
  if (words <= 6) return run<6>(net, std::move(packed), limits);
  if (words <= 16) return run<16>(net, std::move(packed), limits);
  static_assert(kMostMarkingBytes == internal::kWidestWords * sizeof(std::uint64_t));
  if (words <= internal::kWidestWords)
    return run<internal::kWidestWords>(net, std::move(packed), limits);
  return {.end = SearchEnd::kTooWide, .marking_bytes = words * sizeof(std::uint64_t)};
}

}  // namespace lockbench
