// SPDX-License-Identifier: Apache-2.0

// Memory: shared words as simulated threads see them.
//
// Each thread has a store buffer, as on x86: a store that is not sequentially consistent is seen by
// its own thread at once and by the others when it leaves the buffer, first in, first out. An
// atomic read-modify-write and a sequentially consistent store or fence empty the buffer first.
// With Model::kSequential stores leave at once.
//
// With Model::kC11 there are no buffers. Each word keeps its stores in their modification order,
// and a load may read any of them that coherence and happens-before allow; a store may come
// anywhere in that order where they allow it. What is allowed follows C++20: release sequences,
// fences, the total order of sequentially consistent operations, atomic read-modify-writes
// (weak_memory.cc).
//
// Beside the values it keeps what the C++ memory model knows: which thread's past happens before
// which point (vector clocks, release sequences of C++20, fences). So an order that x86 would
// forgive is found out all the same: see happens_before().
//
// It also hashes what has happened: two executions with equal state() had the same events in the
// same partial order, and so are in the same state (M. Musuvathi, S. Qadeer, "Partial-Order
// Reduction for Context-Bounded State Exploration", 2007).
//
// Not offered  load buffering: a load never reads a store that has yet to be made, so that what a
//              program does before it never depends on it (no cycle of sequenced-before and
//              reads-from; C++20 allows some). With the other models, loads that read old values
//              beyond what store buffers explain. With kC11, old values of a word that is accessed
//              in different sizes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/stress/explore/arena.h"
#include "harness/stress/explore/history.h"
#include "harness/stress/explore/sc_order.h"
#include "harness/stress/explore/vector_clock.h"

namespace lockbench::stress::explore {

enum class Model { kSequential, kTso, kC11 };

struct AddressRange {
  std::uintptr_t begin;
  std::uintptr_t end;
};

class Memory {
 public:
  using Thread = std::uint32_t;

  Memory(const Arena& arena, Model model);

  Model model() const { return model_; }
  bool weak() const { return model_ == Model::kC11; }

  // Forgets everything, and goes on with this model.
  void use(Model model);

  // Forgets everything.
  void reset();

  // A thread begins, knowing what its starter knows; a thread has seen another's end.
  void started(Thread thread, Thread by);
  void joined(Thread thread, Thread ended);
  void ended(Thread thread) { ended_[thread] = true; }

  void born(Thread thread, const void* word, unsigned bytes);
  // A word that did not say when it was born: all know it from now on.
  void met(const void* word, unsigned bytes);
  // Whether the word is alive.
  bool knows(const void* word) const;
  // The end of the word's life. What `thread` itself stored there last and still has in its buffer
  // goes with it: nobody may look at the word any more.
  void gone(Thread thread, const void* word);

  std::uint64_t load(Thread thread, const void* word, unsigned bytes, std::memory_order order);
  void store(Thread thread, void* word, unsigned bytes, std::uint64_t bits,
             std::memory_order order);
  std::uint64_t begin_update(Thread thread, const void* word, unsigned bytes);
  void end_update(Thread thread, void* word, unsigned bytes, std::uint64_t bits, bool writes,
                  std::memory_order order);
  void fence(Thread thread, std::memory_order order);
  // Empties all buffers, but for what other threads stored since they last went on from a point:
  // that may as well have come after the barrier.
  void fence_all(Thread thread);

  // ---- kC11 (weak_memory.cc). An age counts from the last store in modification order, which has
  // age 0. Each access first asks for the ages that it may choose from, youngest first; 0 is always
  // among them, but for an update that must not come between two others.
  const std::vector<std::uint8_t>& ages_to_load(Thread thread, const void* word, unsigned bytes,
                                                std::memory_order order);
  const std::vector<std::uint8_t>& ages_to_store(Thread thread, const void* word, unsigned bytes,
                                                 std::memory_order order);
  const std::vector<std::uint8_t>& ages_to_update(Thread thread, const void* word, unsigned bytes,
                                                  std::memory_order order);
  // The same of a compare-exchange, which is a load of the order `failure` where it reads something
  // else than `expected`.
  const std::vector<std::uint8_t>& ages_to_compare(Thread thread, const void* word, unsigned bytes,
                                                   std::uint64_t expected,
                                                   std::memory_order success,
                                                   std::memory_order failure);
  std::uint64_t load_aged(Thread thread, const void* word, std::size_t age,
                          std::memory_order order);
  // The store comes after the one of this age.
  void store_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits, std::size_t age,
                  std::memory_order order);
  const StoreRecord& store_aged(const void* word, std::size_t age) {
    const History& history = history_of(word);
    return history.stores[history.stores.size() - 1 - age];
  }
  void end_update_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits, bool writes,
                       std::size_t age, std::memory_order order);
  // Whether there is a store that `thread` need not see.
  bool has_unseen(Thread thread);
  // It sees all of them from now on, or those to the words that it has looked at since it last
  // did so, without learning what happened before them: they have arrived.
  void see_all(Thread thread);
  bool looks_at_unseen(Thread thread);
  void see_looked_at(Thread thread);
  // A sleep on the word, or a wake-up: as a sequentially consistent fence, in one order with all
  // others of this word, which note() knows as `thing`.
  void queue_fence(Thread thread, const void* word, std::uint64_t thing);
  // Whether accesses of other threads, or the beginning of the word's life, are not ordered before
  // what `thread` does next.
  bool end_is_unordered(Thread thread, const void* word);
  bool beginning_is_unordered(Thread thread, const void* word);
  // Stores say that they were made in this step, and here.
  void at(std::uint64_t step, const void* place) {
    step_ = step;
    place_ = place;
  }

  bool buffered(Thread thread) const { return !threads_[thread].buffer.empty(); }
  bool others_buffer(Thread thread);  // anybody but `thread`; or has_unseen()
  bool buffers(Thread thread, const void* word) const;
  bool buffers_meet(Thread a, Thread b) const;  // each has a store to the same word
  // Whether a store of this order goes into its thread's buffer, and no further.
  bool keeps_back(std::memory_order order) const {
    return model_ == Model::kTso && order != std::memory_order_seq_cst;
  }
  void flush_oldest(Thread thread);
  void flush(Thread thread);

  // The stores of the thread that are in its buffer, the oldest first.
  struct Pending {
    const void* word;
    unsigned bytes;
    std::uint64_t bits;
  };
  std::vector<Pending> pending_stores(Thread thread) const;
  // What the word has in memory, without an access. 0 where it may not be read.
  std::uint64_t peek(const void* word, unsigned bytes) const;

  // `thread` goes on from a point: an event that concerns nobody else.
  void step(Thread thread) {
    event(threads_[thread].chain, 10, nullptr, false);
    threads_[thread].older = threads_[thread].buffer.size();
  }
  // Whether it has stored something since, into its buffer.
  bool stored_since(Thread thread) const {
    return threads_[thread].buffer.size() > threads_[thread].older;
  }

  // An event of `thread` on something that is no word (a queue of sleepers, the clock, a key), by a
  // number that the caller gives it. Events that write are ordered with all others on the thing.
  void note(Thread thread, std::uint64_t thing, bool writes);

  // Stamps a moment of `thread`; happens_before() then tells whether all that `other` did up to its
  // moment is sure to be seen by `thread` now.
  std::uint32_t stamp(Thread thread) { return ++threads_[thread].clock.at[thread]; }
  bool happens_before(Thread other, std::uint32_t moment, Thread thread) const {
    return threads_[thread].clock.at[other] >= moment;
  }
  // For happens_before(): now, as `thread` counts. What it does up to its next release is one
  // moment.
  std::uint32_t moment(Thread thread) const { return threads_[thread].clock.at[thread]; }

  // A volatile access that the program itself performs next: ordered as on x86, where a load
  // acquires and a store releases.
  void volatile_access(Thread thread, const void* word, bool writes);

  // The program itself writes next to what may be a word, by an access that is not atomic: of its
  // stores only the last value is known from then on.
  void overwritten(const void* word);

  // After an execution: variables with static storage are what they were before it.
  void end() { restore_static(); }

  // Before a write that is not atomic: a variable with static storage begins the next execution as
  // it began this one.
  void keep_static(const void* place, std::size_t bytes);

  std::uint64_t state() const { return state_; }
  std::uint64_t changes() const { return changes_; }  // of any word, as all can see it

  // The word whose life was over, or had not begun, when it was used.
  std::optional<std::uint32_t> dead_word() const { return dead_word_; }

  // Words are numbered in the order of their birth.
  std::uint32_t number_of(const void* word);

 private:
  struct Word {
    std::size_t offset = kOutside;  // in the arena
    unsigned bytes = 0;             // of its widest access; 0: said at its birth
    bool alive = true;
    bool mixed = false;  // accessed in sizes or at places that overlap: one word for all of them
    VectorClock release;
    std::uint64_t last_write = 0;
    std::uint64_t reads = 0;  // since then
  };
  static constexpr std::size_t kOutside = ~std::size_t{0};

  struct Store {
    void* word;
    unsigned bytes;
    std::uint64_t bits;
    VectorClock release;
  };

  struct ThreadState {
    VectorClock clock;
    VectorClock acquirable;  // what an acquire fence would learn
    VectorClock released;    // what a relaxed store publishes since a release fence
    std::vector<Store> buffer;
    std::size_t older = 0;    // of the buffer, those that were there when it went on from a point
    std::uint64_t chain = 0;  // hash of its events and all that they depend on
    std::uint64_t buffer_chain = 0;  // the same for what left its buffer
  };

  // With kC11, beside the clocks of ThreadState.
  struct ScState {
    ScKnowledge now;
    ScKnowledge acquirable;
    ScKnowledge released;
  };

  Word& word_at(const void* word);
  Word& add_word(const void* word);
  void write(void* word, unsigned bytes, std::uint64_t bits);
  void event(std::uint64_t& chain, std::uint64_t what, Word* word, bool writes);
  static void drop_stores(ThreadState& thread, const void* word);
  void learn(ThreadState& thread, const Word& word, std::memory_order order);

  // ---- kC11
  const History& history_of(const void* word) {
    return histories_[static_cast<std::size_t>(&word_at(word) - words_.data())];
  }
  History& history_of(const void* word, unsigned bytes);
  void begin_history(std::size_t number, const void* word, unsigned bytes);
  bool has_read(Thread thread, const StoreRecord& store) const;
  bool knows(Thread thread, const StoreRecord& store) const;
  std::size_t oldest_readable(Thread thread, const History& history) const;
  template <class Allowed>
  const std::vector<std::uint8_t>& ages_if(Thread thread, const void* word, unsigned bytes,
                                           const Allowed& allowed);
  bool may_load(Thread thread, const History& history, std::size_t index,
                std::memory_order order) const;
  bool may_store(Thread thread, const History& history, std::size_t index, bool updates,
                 std::memory_order order) const;
  bool keeps_order(Thread thread, const History& history, Place place, bool in_order,
                   const ScSet& fences) const;
  void enter_order(Thread thread, History& history, Place place, bool in_order, StoreRecord* made);
  void note_access(Thread thread, History& history);
  void learn_aged(Thread thread, const StoreRecord& store, std::memory_order order);
  void read_aged(Thread thread, History& history, std::size_t index, std::memory_order order);
  void write_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits, std::size_t age,
                  bool updates, std::memory_order order);
  ScSet weak_fence(Thread thread, std::memory_order order, const ScSet& after);
  ScSet enter_fence(Thread thread, const ScSet& after);
  void weak_fence_all(Thread thread);
  void order_volatile(Thread thread, std::size_t number, bool writes);
  void see(Thread thread, History& history);
  template <class Visit>
  void for_each_unseen(Thread thread, const Visit& visit);
  void drop_unreadable(History& history);
  void make_room();
  bool alone() const { return started_ == 1; }

  // Whether it is a variable with static storage, and not a part of a heap or of a stack, which may
  // be somebody else's by the time an execution ends.
  bool is_static(const void* word) const;

  std::uint32_t find(const void* word) const;
  void restore_static();
  std::uint32_t join_overlapping(const void* word, unsigned bytes, std::uint32_t number);

  // What such a word was before an execution wrote it.
  struct Before {
    void* word;
    unsigned bytes;
    std::uint64_t bits;
  };

  const Arena& arena_;
  Model model_;
  std::vector<AddressRange> static_storage_;
  std::vector<Before> before_;
  std::vector<std::size_t> aliases_;  // offsets in the arena of words that others are a part of
  std::vector<ThreadState> threads_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> index_;  // by offset in the arena; 0: no word
  std::unordered_map<const void*, std::uint32_t> outside_;
  std::unordered_map<std::uint64_t, Word> things_;
  std::uint64_t state_ = 0;
  std::uint64_t changes_ = 0;
  std::optional<std::uint32_t> dead_word_;

  // kC11
  std::vector<History> histories_;  // by number of the word
  std::vector<ScState> sc_states_;
  ScOrder sc_order_;
  std::unordered_map<std::uint32_t, ScSet> last_in_queue_;  // by number of the word
  std::vector<std::uint8_t> ages_;
  std::uint64_t step_ = 0;
  const void* place_ = nullptr;
  Thread started_ = 1;  // threads
  std::array<bool, kMaxThreads> ended_{};
};

}  // namespace lockbench::stress::explore
