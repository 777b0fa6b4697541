// SPDX-License-Identifier: Apache-2.0

// Successors: what one packed marking can become, folded. The search's inner loop.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/petri/marking_set.h"
#include "harness/petri/packed_net.h"

namespace lockbench::internal {

template <std::size_t W>
class Successors {
 public:
  struct Next {
    Words<W> words;  // folded
    std::uint64_t hash;
    std::uint32_t transition;
  };

  explicit Successors(const PackedNet& net) : net_(net) {
    transitions_.reserve(net.transitions.size());
    for (const PackedTransition& transition : net.transitions) {
      Step step = {.packed = &transition, .column = transition.column};
      for (const PackedSymmetry& symmetry : net.symmetries) {
        if (transition.column - symmetry.first_id >= symmetry.columns.size()) continue;
        step.symmetry = &symmetry;
        step.thread = transition.column - symmetry.first_id;
      }
      std::copy(transition.need.begin(), transition.need.end(), step.need.begin());
      std::copy(transition.delta.begin(), transition.delta.end(), step.delta.begin());
      step.tested = !transition.tests.empty() || !transition.overflows.empty();
      transitions_.push_back(step);
    }
  }

  static constexpr std::uint32_t kNoTransition = 0xffffffff;

  // Adds those of a folded marking to `nexts`. Threads in the same state are one case: what the
  // second of them could do is not looked at. Returns a transition that could not be fired because
  // a loose field would overflow, or kNoTransition.
  std::uint32_t add_to(std::vector<Next>& nexts, const Words<W>& marking) const {
    Look look = {.marking = marking, .twins = twins_of(marking), .nexts = nexts};
    for (std::size_t w = 0; w < W; ++w) {
      for (std::uint64_t bits = marking[w] & net_.key_bits[w]; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
        for (const std::uint32_t t : net_.by_key[w * 64 + bit]) consider(look, t);
      }
    }
    for (const std::uint32_t t : net_.without_key) consider(look, t);
    return look.overflow;
  }

  // The one marking that stands for all that differ in who is where: columns in falling order.
  void fold(Words<W>& marking) const {
    for (const PackedSymmetry& symmetry : net_.symmetries) {
      std::uint64_t values[kNoColumn];
      const std::size_t count = symmetry.columns.size();
      bool sorted = true;
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = column(marking, symmetry, i);
        sorted = sorted && (i == 0 || values[i - 1] >= values[i]);
      }
      if (sorted) continue;
      insertion_sort(values, count);
      for (std::size_t i = 0; i < count; ++i) set_column(marking, symmetry, i, values[i]);
    }
  }

  // In how many ways the threads of a folded marking can change places; the largest number when
  // more than that.
  std::uint64_t stands_for(const Words<W>& marking) const {
    std::uint64_t product = 1;
    for (const PackedSymmetry& symmetry : net_.symmetries) {
      std::size_t run = 1;
      for (std::size_t i = 1; i <= symmetry.columns.size(); ++i) {
        const bool same = i < symmetry.columns.size() &&
                          column(marking, symmetry, i) == column(marking, symmetry, i - 1);
        if (same) {
          ++run;
          continue;
        }
        // Threads 0 to i - 1 are placed: these `run` are any of them.
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
    std::uint32_t column = kNoColumn;
    const PackedSymmetry* symmetry = nullptr;  // of that column, and its place there
    std::size_t thread = 0;
    bool tested = false;
  };

  // At one marking.
  struct Look {
    const Words<W>& marking;
    std::uint64_t twins;  // a bit for each column that is as its left neighbour is
    std::vector<Next>& nexts;
    std::uint32_t overflow = kNoTransition;
  };

  static std::uint64_t column(const Words<W>& marking, const PackedSymmetry& symmetry,
                              std::size_t i) {
    return (marking[symmetry.columns[i].word] >> symmetry.columns[i].shift) & symmetry.mask;
  }

  static void set_column(Words<W>& marking, const PackedSymmetry& symmetry, std::size_t i,
                         std::uint64_t value) {
    const PackedColumn& at = symmetry.columns[i];
    std::uint64_t& word = marking[at.word];
    word = (word & ~(symmetry.mask << at.shift)) | (value << at.shift);
  }

  // Folds a marking in which column `i` alone may be out of order.
  static void move_to_its_place(Words<W>& marking, const PackedSymmetry& symmetry, std::size_t i) {
    const std::uint64_t value = column(marking, symmetry, i);
    const std::size_t last = symmetry.columns.size() - 1;
    const std::size_t before = i;
    for (; i > 0 && column(marking, symmetry, i - 1) < value; --i) {
      set_column(marking, symmetry, i, column(marking, symmetry, i - 1));
    }
    for (; i < last && column(marking, symmetry, i + 1) > value; ++i) {
      set_column(marking, symmetry, i, column(marking, symmetry, i + 1));
    }
    if (i != before) set_column(marking, symmetry, i, value);
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

  // A bit for each column that is as its left neighbour is.
  std::uint64_t twins_of(const Words<W>& marking) const {
    std::uint64_t twins = 0;
    for (const PackedSymmetry& symmetry : net_.symmetries) {
      for (std::size_t i = 1; i < symmetry.columns.size(); ++i) {
        const bool same = column(marking, symmetry, i) == column(marking, symmetry, i - 1);
        twins |= std::uint64_t{same} << (symmetry.first_id + i);
      }
    }
    return twins;
  }

  void consider(Look& look, std::uint32_t t) const {
    const Step& step = transitions_[t];
    if (step.column != kNoColumn && (look.twins >> step.column & 1) != 0) return;
    std::uint64_t missing = 0;
    for (std::size_t w = 0; w < W; ++w) missing |= step.need[w] & ~look.marking[w];
    if (missing != 0) return;
    if (step.tested && !passes(look, t)) return;
    Next& next = look.nexts.emplace_back();
    next.transition = t;
    for (std::size_t w = 0; w < W; ++w) next.words[w] = look.marking[w] + step.delta[w];
    if (step.symmetry != nullptr) {
      move_to_its_place(next.words, *step.symmetry, step.thread);
    } else {
      fold(next.words);
    }
    next.hash = hash_of<W>(next.words);
  }

  bool passes(Look& look, std::uint32_t t) const {
    const PackedTransition& packed = *transitions_[t].packed;
    for (const FieldTest& test : packed.tests) {
      if (test.field.read(look.marking.data()) < test.least) return false;
    }
    for (const FieldTest& test : packed.overflows) {
      if (test.field.read(look.marking.data()) < test.least) continue;
      look.overflow = t;
      return false;
    }
    return true;
  }

  const PackedNet& net_;
  std::vector<Step> transitions_;
};

}  // namespace lockbench::internal
