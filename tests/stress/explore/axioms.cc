// SPDX-License-Identifier: Apache-2.0

// The executions that ISO C++20 allows ([intro.races], [atomics.order]), by enumeration: every
// choice of the store that each load reads, and every modification order; those that violate an
// axiom are left out. It shares nothing with the simulator.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>

#include "tests/stress/explore/weak_program.h"

namespace lockbench::stress::explore {
namespace {

using Mask = std::uint32_t;

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

// A relation between events: row i has a bit for each event that i is related to.
class Relation {
 public:
  explicit Relation(std::size_t events) : rows_(events) {}

  void add(std::size_t a, std::size_t b) { rows_[a] |= Mask{1} << b; }
  bool has(std::size_t a, std::size_t b) const { return (rows_[a] >> b & 1) != 0; }
  std::size_t size() const { return rows_.size(); }

  Relation operator|(const Relation& other) const {
    Relation result = *this;
    for (std::size_t i = 0; i < size(); ++i) result.rows_[i] |= other.rows_[i];
    return result;
  }
  // First this one, then the other.
  Relation then(const Relation& other) const {
    Relation result(size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (Mask left = rows_[i]; left != 0; left &= left - 1) {
        result.rows_[i] |= other.rows_[static_cast<std::size_t>(std::countr_zero(left))];
      }
    }
    return result;
  }
  Relation closed() const {
    Relation result = *this;
    for (std::size_t k = 0; k < size(); ++k) {
      for (std::size_t i = 0; i < size(); ++i) {
        if (result.has(i, k)) result.rows_[i] |= result.rows_[k];
      }
    }
    return result;
  }
  Relation optional() const {
    Relation result = *this;
    for (std::size_t i = 0; i < size(); ++i) result.add(i, i);
    return result;
  }
  template <class Keep>
  Relation only(const Keep& keep) const {
    Relation result(size());
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        if (has(a, b) && keep(a, b)) result.add(a, b);
      }
    }
    return result;
  }
  bool reflexive_somewhere() const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (has(i, i)) return true;
    }
    return false;
  }

 private:
  std::vector<Mask> rows_;
};

struct Event {
  std::size_t thread = 0;
  bool initial = false;
  WeakOperation operation;
  // Members of a candidate execution:
  std::size_t source = 0;  // the event that it reads from
  std::optional<int> read;
  std::optional<int> written;
  bool writes = false;
  std::memory_order order = std::memory_order_relaxed;

  bool is_fence() const { return operation.kind == WeakOperation::kFence; }
  bool reads() const { return !initial && operation.reads(); }
  bool updates() const { return reads() && writes; }
  bool sc() const { return !initial && order == std::memory_order_seq_cst; }
};

class Candidates {
 public:
  Candidates(const WeakProgram& program, const Axioms& axioms) : axioms_(axioms) {
    for (std::size_t word = 0; word < kWeakWords; ++word) {
      events_.push_back({.initial = true, .operation = {.word = word}, .written = 0});
      events_.back().writes = true;
    }
    for (std::size_t thread = 0; thread < program.size(); ++thread) {
      for (const WeakOperation& operation : program[thread]) {
        events_.push_back({.thread = thread, .operation = operation});
        if (operation.reads()) reads_.push_back(events_.size() - 1);
      }
    }
  }

  Explored allowed() {
    choose_sources(0);
    return std::move(allowed_);
  }

 private:
  bool sequenced(std::size_t a, std::size_t b) const {
    return !events_[a].initial && !events_[b].initial && a < b &&
           events_[a].thread == events_[b].thread;
  }
  bool same_word(std::size_t a, std::size_t b) const {
    return !events_[a].is_fence() && !events_[b].is_fence() &&
           events_[a].operation.word == events_[b].operation.word;
  }

  void choose_sources(std::size_t position) {
    if (position == reads_.size()) return evaluate();
    Event& event = events_[reads_[position]];
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const bool may_write = events_[i].initial || events_[i].operation.may_write();
      if (i == reads_[position] || !may_write || !same_word(i, reads_[position])) continue;
      event.source = i;
      choose_sources(position + 1);
    }
  }

  // The values that are read and written. Without load buffering they follow from earlier ones;
  // with it, from the constants that are stored.
  void evaluate() {
    for (Event& event : events_) {
      if (event.initial) continue;
      const bool stores = event.operation.kind == WeakOperation::kStore;
      event.read.reset();
      event.written.reset();
      event.writes = event.operation.may_write();
      event.order = event.operation.order;
      if (stores || event.operation.kind == WeakOperation::kExchange) {
        event.written = event.operation.value;
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t i : reads_) {
        Event& event = events_[i];
        const Event& source = events_[event.source];
        if (event.read || !source.written) continue;
        changed = true;
        take(event, *source.written);
      }
    }
    for (const std::size_t i : reads_) {
      if (!events_[i].read || !events_[events_[i].source].writes) return;
    }
    order_word(0);
  }

  static void take(Event& event, int value) {
    event.read = value;
    if (event.operation.kind == WeakOperation::kAdd) event.written = value + event.operation.value;
    if (event.operation.kind != WeakOperation::kCompare) return;
    event.writes = value == event.operation.expected;
    if (event.writes) {
      event.written = event.operation.value;
    } else {
      event.order = event.operation.failure();
    }
  }

  void order_word(std::size_t word) {
    if (word == kWeakWords) return check();
    std::vector<std::size_t>& order = modification_[word];
    order.clear();
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].writes && events_[i].operation.word == word) order.push_back(i);
    }
    // The initial value comes first.
    std::sort(order.begin() + 1, order.end());
    do {
      if (!is_atomic(order)) continue;
      order_word(word + 1);
    } while (std::next_permutation(order.begin() + 1, order.end()));
  }

  bool is_atomic(const std::vector<std::size_t>& order) const {
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (events_[order[i]].updates() && events_[order[i]].source != order[i - 1]) return false;
    }
    return true;
  }

  void check() {
    const std::size_t count = events_.size();
    Relation sb(count), start(count), rf(count), mo(count), fr(count);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        if (sequenced(a, b)) sb.add(a, b);
        if (events_[a].initial && !events_[b].initial) start.add(a, b);
      }
    }
    for (const auto& order : modification_) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) mo.add(order[i], order[j]);
      }
    }
    for (const std::size_t read : reads_) {
      rf.add(events_[read].source, read);
      for (std::size_t i = 0; i < count; ++i) {
        if (i != read && mo.has(events_[read].source, i)) fr.add(read, i);
      }
    }
    if (!axioms_.load_buffering && (sb | start | rf).closed().reflexive_somewhere()) return;
    const Relation sw = synchronizes(sb);
    const Relation hb = (sb | start | sw).closed();
    const Relation eco = (rf | mo | fr).closed();
    if (hb.reflexive_somewhere() || eco.reflexive_somewhere()) return;
    if (hb.then(eco).reflexive_somewhere()) return;
    const Relation s =
        axioms_.rc11 ? order_of_rc11(sb, hb, eco, mo, fr) : order_of_cxx20(sb, sw, hb, eco);
    if (s.closed().reflexive_somewhere()) return;
    add_outcome();
  }

  Relation synchronizes(const Relation& sb) const {
    Relation sw(events_.size());
    for (const std::size_t read : reads_) {
      Mask sinks = 0;
      if (acquires(events_[read].order)) sinks |= Mask{1} << read;
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (events_[i].is_fence() && acquires(events_[i].order) && sb.has(read, i)) {
          sinks |= Mask{1} << i;
        }
      }
      // The stores whose release sequences have the one that is read.
      for (std::size_t head = events_[read].source;; head = events_[head].source) {
        for (std::size_t i = 0; i < events_.size(); ++i) {
          const bool store = i == head && !events_[i].initial;
          const bool fence = events_[i].is_fence() && sb.has(i, head);
          if ((!store && !fence) || !releases(events_[i].order)) continue;
          for (Mask left = sinks; left != 0; left &= left - 1) {
            sw.add(i, static_cast<std::size_t>(std::countr_zero(left)));
          }
        }
        if (!events_[head].updates()) break;
      }
    }
    return sw;
  }

  Relation order_of_cxx20(const Relation& sb, const Relation& sw, const Relation& hb,
                          const Relation& eco) const {
    const auto both_sc = [&](std::size_t a, std::size_t b) {
      return events_[a].sc() && events_[b].sc();
    };
    const auto sc_fence = [&](std::size_t i) { return events_[i].is_fence() && events_[i].sc(); };
    const Relation strongly = (sb | sw.only(both_sc) | sb.then(hb).then(sb)).closed();
    const Relation to_fence = hb.only([&](auto, std::size_t b) { return sc_fence(b); });
    const Relation from_fence = hb.only([&](std::size_t a, auto) { return sc_fence(a); });
    return (strongly | eco | eco.then(to_fence) | from_fence.then(eco) |
            from_fence.then(eco).then(to_fence))
        .only(both_sc);
  }

  Relation order_of_rc11(const Relation& sb, const Relation& hb, const Relation& eco,
                         const Relation& mo, const Relation& fr) const {
    const auto elsewhere = [&](std::size_t a, std::size_t b) { return !same_word(a, b); };
    const auto here = [&](std::size_t a, std::size_t b) { return same_word(a, b); };
    const Relation away = sb.only(elsewhere);
    const Relation scb = sb | away.then(hb).then(away) | hb.only(here) | mo | fr;
    Relation sc(events_.size()), fence(events_.size());
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].sc()) sc.add(i, i);
      if (events_[i].sc() && events_[i].is_fence()) fence.add(i, i);
    }
    const Relation left = sc | fence.then(hb.optional());
    const Relation right = sc | hb.optional().then(fence);
    return left.then(scb).then(right) | fence.then(hb | hb.then(eco).then(hb)).then(fence);
  }

  void add_outcome() {
    WeakOutcome outcome;
    for (const std::size_t read : reads_) outcome.push_back(*events_[read].read);
    for (const auto& order : modification_) outcome.push_back(*events_[order.back()].written);
    allowed_.outcomes.insert(outcome);
    ++allowed_.finished;
  }

  const Axioms axioms_;
  std::vector<Event> events_;
  std::vector<std::size_t> reads_;
  std::array<std::vector<std::size_t>, kWeakWords> modification_;
  Explored allowed_;
};

}  // namespace

Explored allowed_by_axioms(const WeakProgram& program, const Axioms& axioms) {
  return Candidates(program, axioms).allowed();
}

}  // namespace lockbench::stress::explore
