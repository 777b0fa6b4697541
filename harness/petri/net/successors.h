// SPDX-License-Identifier: Apache-2.0

// Successors: the packed markings that one transition leads to, each as the representative of its
// symmetry class. This is the inner loop of the search.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/petri/net/marking_set.h"
#include "harness/petri/net/packed_net.h"

namespace lockbench::internal {

template <std::size_t W>
class Successors {
 public:
  struct Next {
    Words<W> words;  // a representative
    std::uint64_t hash;
    std::uint32_t transition;
  };

  // Moves `need` and `delta` out of the transitions.
  explicit Successors(PackedNet& net) : net_(net) {
    transitions_.reserve(net.transitions.size());
    for (PackedTransition& transition : net.transitions) {
      Step step = {.packed = &transition, .component = transition.component};
      for (const PackedSymmetry& symmetry : net.symmetries) {
        if (transition.component - symmetry.first_id >= symmetry.components.size()) continue;
        step.symmetry = &symmetry;
        step.thread = transition.component - symmetry.first_id;
      }
      std::copy(transition.need.begin(), transition.need.end(), step.need.begin());
      std::copy(transition.delta.begin(), transition.delta.end(), step.delta.begin());
      step.tested = !transition.tests.empty() || !transition.overflows.empty();
      transition.need = {};
      transition.delta = {};
      transitions_.push_back(step);
    }
  }

  static constexpr std::uint32_t kNoTransition = 0xffffffff;

  // Appends the successors of a representative to `nexts`. Of several threads in the same state,
  // only the first one fires. Returns a transition that would overflow an unbounded field, or
  // kNoTransition.
  std::uint32_t add_to(std::vector<Next>& nexts, const Words<W>& marking) const {
    Firing firing = {.marking = marking, .twins = twins_of(marking), .nexts = nexts};
    for (std::size_t w = 0; w < W; ++w) {
      for (std::uint64_t bits = marking[w] & net_.key_bits[w]; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
        for (const std::uint32_t t : net_.by_key[w * 64 + bit]) try_to_fire(firing, t);
      }
    }
    for (const std::uint32_t t : net_.without_key) try_to_fire(firing, t);
    return firing.overflow;
  }

  // Replaces the marking by the representative of its class: components in descending order.
  void canonicalize(Words<W>& marking) const {
    for (const PackedSymmetry& symmetry : net_.symmetries) {
      std::uint64_t values[kNoComponent];
      const std::size_t count = symmetry.components.size();
      bool sorted = true;
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = component(marking, symmetry, i);
        sorted = sorted && (i == 0 || values[i - 1] >= values[i]);
      }
      if (sorted) continue;
      insertion_sort(values, count);
      for (std::size_t i = 0; i < count; ++i) set_component(marking, symmetry, i, values[i]);
    }
  }

  // How many markings the representative represents: the permutations of its threads. Saturates.
  std::uint64_t represented(const Words<W>& marking) const {
    std::uint64_t product = 1;
    for (const PackedSymmetry& symmetry : net_.symmetries) {
      std::size_t run = 1;
      for (std::size_t i = 1; i <= symmetry.components.size(); ++i) {
        const bool same = i < symmetry.components.size() &&
                          component(marking, symmetry, i) == component(marking, symmetry, i - 1);
        if (same) {
          ++run;
          continue;
        }
        // Any `run` of threads 0 to i - 1 can be in this state.
        product = times(product, choose(i, run));
        run = 1;
      }
    }
    return product;
  }

  static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
  }

 private:
  struct Step {
    const PackedTransition* packed = nullptr;
    Words<W> need{};
    Words<W> delta{};
    std::uint32_t component = kNoComponent;
    const PackedSymmetry* symmetry = nullptr;  // of that component
    std::size_t thread = 0;                    // its index in the symmetry
    bool tested = false;
  };

  // The state of add_to().
  struct Firing {
    const Words<W>& marking;
    std::uint64_t twins;  // see twins_of()
    std::vector<Next>& nexts;
    std::uint32_t overflow = kNoTransition;
  };

  static std::uint64_t component(const Words<W>& marking, const PackedSymmetry& symmetry,
                                 std::size_t i) {
    return (marking[symmetry.components[i].word] >> symmetry.components[i].shift) & symmetry.mask;
  }

  static void set_component(Words<W>& marking, const PackedSymmetry& symmetry, std::size_t i,
                            std::uint64_t value) {
    const PackedComponent& at = symmetry.components[i];
    std::uint64_t& word = marking[at.word];
    word = (word & ~(symmetry.mask << at.shift)) | (value << at.shift);
  }

  // Canonicalizes a marking in which only component `i` may be out of order.
  static void restore_order(Words<W>& marking, const PackedSymmetry& symmetry, std::size_t i) {
    const std::uint64_t value = component(marking, symmetry, i);
    const std::size_t last = symmetry.components.size() - 1;
    const std::size_t before = i;
    for (; i > 0 && component(marking, symmetry, i - 1) < value; --i) {
      set_component(marking, symmetry, i, component(marking, symmetry, i - 1));
    }
    for (; i < last && component(marking, symmetry, i + 1) > value; ++i) {
      set_component(marking, symmetry, i, component(marking, symmetry, i + 1));
    }
    if (i != before) set_component(marking, symmetry, i, value);
  }

  static void insertion_sort(std::uint64_t* values, std::size_t count) {
    for (std::size_t i = 1; i < count; ++i) {
      const std::uint64_t value = values[i];
      std::size_t j = i;
      for (; j > 0 && values[j - 1] < value; --j) values[j] = values[j - 1];
      values[j] = value;
    }
  }

  static std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
    std::uint64_t result = 1;
    for (std::uint64_t i = 1; i <= k; ++i) {
      const std::uint64_t grown = times(result, n - k + i);
      if (grown == ~std::uint64_t{0}) return grown;
      result = grown / i;
    }
    return result;
  }

  // A bit for each component that is equal to its left neighbour.
  std::uint64_t twins_of(const Words<W>& marking) const {
    std::uint64_t twins = 0;
    for (const PackedSymmetry& symmetry : net_.symmetries) {
      for (std::size_t i = 1; i < symmetry.components.size(); ++i) {
        const bool same = component(marking, symmetry, i) == component(marking, symmetry, i - 1);
        twins |= std::uint64_t{same} << (symmetry.first_id + i);
      }
    }
    return twins;
  }

  void try_to_fire(Firing& firing, std::uint32_t t) const {
    const Step& step = transitions_[t];
    if (step.component != kNoComponent && (firing.twins >> step.component & 1) != 0) return;
    std::uint64_t missing = 0;
    for (std::size_t w = 0; w < W; ++w) missing |= step.need[w] & ~firing.marking[w];
    if (missing != 0) return;
    if (step.tested && !passes(firing, t)) return;
    Next& next = firing.nexts.emplace_back();
    next.transition = t;
    for (std::size_t w = 0; w < W; ++w) next.words[w] = firing.marking[w] + step.delta[w];
    if (step.symmetry != nullptr) {
      restore_order(next.words, *step.symmetry, step.thread);
    } else {
      canonicalize(next.words);
    }
    next.hash = hash_of<W>(next.words);
  }

  bool passes(Firing& firing, std::uint32_t t) const {
    const PackedTransition& packed = *transitions_[t].packed;
    for (const FieldTest& test : packed.tests) {
      if (test.field.read(firing.marking.data()) < test.least) return false;
    }
    for (const FieldTest& test : packed.overflows) {
      if (test.field.read(firing.marking.data()) < test.least) continue;
      firing.overflow = t;
      return false;
    }
    return true;
  }

  const PackedNet& net_;
  std::vector<Step> transitions_;
};

}  // namespace lockbench::internal
