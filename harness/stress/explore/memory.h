// SPDX-License-Identifier: Apache-2.0

// Memory: shared words as simulated threads see them.
//
// Each thread has a store buffer, as on x86: a store that is not sequentially consistent is seen by
// its own thread at once and by the others when it leaves the buffer, first in, first out. An
// atomic read-modify-write and a sequentially consistent store or fence empty the buffer first.
// With Model::kSequential stores leave at once.
//
// Beside the values it keeps what the C++ memory model knows: which thread's past happens before
// which point (vector clocks, release sequences of C++20, fences). So an order that x86 would
// forgive is found out all the same: see happens_before().
//
// It also hashes what has happened: two executions with equal state() had the same events in the
// same partial order, and so are in the same state (M. Musuvathi, S. Qadeer, "Partial-Order
// Reduction for Context-Bounded State Exploration", 2007).
//
// Not offered  loads that are delayed or read stale values beyond what store buffers explain; words
//              accessed in different sizes.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/stress/explore/arena.h"
#include "harness/stress/explore/vector_clock.h"

namespace lockbench::stress::explore {

enum class Model { kSequential, kTso };

struct AddressRange {
  std::uintptr_t begin;
  std::uintptr_t end;
};

class Memory {
 public:
  using Thread = std::uint32_t;

  Memory(const Arena& arena, Model model);

  // Forgets everything.
  void reset();

  // A thread begins, knowing what its starter knows; a thread has seen another's end.
  void started(Thread thread, Thread by);
  void joined(Thread thread, Thread ended);

  void born(Thread thread, const void* word);
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

  bool buffered(Thread thread) const { return !threads_[thread].buffer.empty(); }
  bool others_buffer(Thread thread) const;  // anybody but `thread`
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

  std::uint64_t state() const { return state_; }
  std::uint64_t changes() const { return changes_; }  // of any word, as all can see it

  // The word whose life was over, or had not begun, when it was used.
  std::optional<std::uint32_t> dead_word() const { return dead_word_; }

  // Words are numbered in the order of their birth.
  std::uint32_t number_of(const void* word);

 private:
  struct Word {
    std::size_t offset = kOutside;  // in the arena
    bool alive = true;
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

  Word& word_at(const void* word);
  Word& add_word(const void* word);
  void write(void* word, unsigned bytes, std::uint64_t bits);
  void event(std::uint64_t& chain, std::uint64_t what, Word* word, bool writes);
  static void drop_stores(ThreadState& thread, const void* word);
  void learn(ThreadState& thread, const Word& word, std::memory_order order);

  // Whether it is a variable with static storage, and not a part of a heap or of a stack, which may
  // be somebody else's by the time an execution ends.
  bool is_static(const void* word) const;

  // What such a word was before an execution wrote it.
  struct Before {
    void* word;
    unsigned bytes;
    std::uint64_t bits;
  };

  const Arena& arena_;
  const Model model_;
  std::vector<AddressRange> static_storage_;
  std::vector<Before> before_;
  std::vector<ThreadState> threads_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> index_;  // by offset in the arena; 0: no word
  std::unordered_map<const void*, std::uint32_t> outside_;
  std::unordered_map<std::uint64_t, Word> things_;
  std::uint64_t state_ = 0;
  std::uint64_t changes_ = 0;
  std::optional<std::uint32_t> dead_word_;
};

}  // namespace lockbench::stress::explore
