// SPDX-License-Identifier: Apache-2.0

// Memory: the values of shared words as simulated threads see them.
//
// In the x86 memory model (kTso) each thread has a store buffer: a store that is not sequentially
// consistent is visible to its own thread at once, and to other threads when it leaves the buffer,
// first in, first out. An atomic read-modify-write and a sequentially consistent store or fence
// empty the buffer first. With MemoryModel::kSequential stores leave the buffer at once.
//
// With MemoryModel::kC11 there are no buffers. Each word keeps its stores in their modification
// order, and a load may read any of them that coherence and happens-before allow. A store may come
// at any position in that order that they allow. The rules are those of C++20: release sequences,
// fences, the total order of sequentially consistent operations, atomic read-modify-writes
// (weak_memory.cc).
//
// In addition to the values, this class keeps the happens-before relation of the C++ memory model
// (vector clocks, release sequences of C++20, fences). So it also detects a missing memory order
// that x86 would forgive: see happens_before().
//
// It also computes a hash of the events. Two executions with equal state() had the same events in
// the same partial order, and so are in the same state (M. Musuvathi, S. Qadeer, "Partial-Order
// Reduction for Context-Bounded State Exploration", 2007).
//
// Not offered  Load buffering: a load never reads a store that is made later. So an earlier
//              operation of a program never depends on a later one (there is no cycle of
//              sequenced-before and reads-from; C++20 allows some). With the memory models other
//              than kC11, old values that store buffers do not explain. With kC11, old values of a
//              word that is accessed in different sizes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/stress/explore/memory/arena.h"
#include "harness/stress/explore/memory/sc_order.h"
#include "harness/stress/explore/memory/vector_clock.h"
#include "harness/stress/explore/memory/word_history.h"
#include "harness/stress/explore/memory/zero_pages.h"

namespace lockbench::stress::explore {

enum class MemoryModel { kSequential, kTso, kC11 };

class Memory {
 public:
  using Thread = std::uint32_t;

  Memory(const Arena& arena, MemoryModel memory_model);

  MemoryModel memory_model() const { return memory_model_; }
  bool weak() const { return memory_model_ == MemoryModel::kC11; }

  // Resets everything and uses this memory model from now on.
  void use(MemoryModel memory_model);

  // Resets everything.
  void reset();

  // started: a thread begins after everything that its starter has done. joined: `thread` continues
  // after everything that `ended` has done.
  void started(Thread thread, Thread by);
  void joined(Thread thread, Thread ended);
  void ended(Thread thread) { ended_[thread] = true; }

  void constructed(Thread thread, const void* word, unsigned bytes);
  // A word whose beginning was not announced. All threads may use it from now on.
  void add_unannounced(const void* word, unsigned bytes);
  // True if the word exists.
  bool knows(const void* word) const;
  // The word is destroyed. The stores to it that are still in the buffer of `thread` are dropped,
  // because no thread may read the word any more.
  void destroyed(Thread thread, const void* word);

  // The words in [begin, end) end with their memory, which is freed and then used again.
  void forget(const void* begin, const void* end);

  // The words in [begin, end), which are local variables of `thread`, end with their function. The
  // stores to them leave the buffer, and those that came before: later, the location may be that of
  // another variable.
  void end_frame(Thread thread, const void* begin, const void* end);
  // True if any word is a local variable.
  bool any_on_stack() const { return !on_stack_.empty(); }

  std::uint64_t load(Thread thread, const void* word, unsigned bytes, std::memory_order order);
  void store(Thread thread, void* word, unsigned bytes, std::uint64_t bits,
             std::memory_order order);
  std::uint64_t begin_update(Thread thread, const void* word, unsigned bytes);
  void end_update(Thread thread, void* word, unsigned bytes, std::uint64_t bits, bool writes,
                  std::memory_order order);
  void fence(Thread thread, std::memory_order order);
  // Empties all buffers, except for the stores that other threads made since their last decision
  // point: these may as well have come after the barrier.
  void fence_all(Thread thread);

  // ---- kC11 (weak_memory.cc). The age of a store counts the stores that follow it in modification
  // order; the last store has age 0. Before each access, one of these functions returns the ages
  // that may be chosen, youngest first. Age 0 is always included, except for an update that must
  // not come between two other stores.
  const std::vector<std::uint8_t>& ages_to_load(Thread thread, const void* word, unsigned bytes,
                                                std::memory_order order);
  const std::vector<std::uint8_t>& ages_to_store(Thread thread, const void* word, unsigned bytes,
                                                 std::memory_order order);
  const std::vector<std::uint8_t>& ages_to_update(Thread thread, const void* word, unsigned bytes,
                                                  std::memory_order order);
  // The same for a compare-exchange. It is a load with the order `failure` if it reads a value
  // other than `expected`.
  const std::vector<std::uint8_t>& ages_to_compare(Thread thread, const void* word, unsigned bytes,
                                                   std::uint64_t expected,
                                                   std::memory_order success,
                                                   std::memory_order failure);
  // For an update, after its function: the ages of other stores that it could read if another
  // update had not read them.
  const std::vector<std::uint8_t>& ages_taken() const { return ages_taken_; }
  // True if these functions have offered all that the memory model allows in this execution so far.
  bool offers_all() const { return offers_all_; }
  std::uint64_t load_aged(Thread thread, const void* word, std::size_t age,
                          std::memory_order order);
  // The new store comes after the store with this age.
  void store_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits, std::size_t age,
                  std::memory_order order);
  const StoreRecord& store_aged(const void* word, std::size_t age) {
    const WordHistory& history = history_of(word);
    return history.stores[history.stores.size() - 1 - age];
  }
  void end_update_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits, bool writes,
                       std::size_t age, std::memory_order order);
  // True if there is a store that `thread` is not yet required to see. With the other memory models
  // there is none, and the following functions do nothing.
  bool has_unseen(Thread thread);
  // see_all: the last store of every word becomes visible to the thread. see_polled: the same
  // for the words that it has read since the last such call. The thread does not synchronize with
  // these stores.
  void see_all(Thread thread);
  bool polls_unseen(Thread thread);
  void see_polled(Thread thread);
  // A sleep on the word, or a wake-up. It acts like a sequentially consistent fence, in one order
  // with all sleeps and wake-ups of this word, for which note() uses the number `thing`.
  void queue_fence(Thread thread, const void* word, std::uint64_t thing);
  // True if accesses of other threads, or the beginning of the word's existence, are not ordered
  // before the next event of `thread`.
  bool end_is_unordered(Thread thread, const void* word);
  // The same for the words in [begin, end); kC11.
  bool any_end_is_unordered(Thread thread, const void* begin, const void* end);
  bool beginning_is_unordered(Thread thread, const void* word);
  // The following stores are recorded with this step and this code.
  void at(std::uint64_t step, const void* code) {
    step_ = step;
    code_ = code;
  }

  bool buffered(Thread thread) const { return !threads_[thread].buffer.empty(); }
  bool others_buffer(Thread thread);  // any thread but `thread`; or has_unseen()
  bool buffers(Thread thread, const void* word) const;
  bool buffers_meet(Thread a, Thread b) const;  // both have a store to the same word
  // True if it has a store to a word that lies in these bytes.
  bool buffers_within(Thread thread, const void* begin, std::size_t bytes) const;
  // True if a store with this order goes only into its thread's buffer.
  bool keeps_back(std::memory_order order) const {
    return memory_model_ == MemoryModel::kTso && order != std::memory_order_seq_cst;
  }
  void flush_oldest(Thread thread);
  void flush(Thread thread);

  // The stores in the thread's buffer, oldest first.
  struct Pending {
    const void* word;
    unsigned bytes;
    std::uint64_t bits;
  };
  std::vector<Pending> pending_stores(Thread thread) const;
  // The value of the word in memory, without an access. 0 if it may not be read.
  std::uint64_t peek(const void* word, unsigned bytes) const;

  // `thread` passes a decision point. This event is independent of all other threads.
  void step(Thread thread) {
    event(threads_[thread].chain, 10, nullptr, false);
    threads_[thread].older = threads_[thread].buffer.size();
  }
  // True if it has put a store into its buffer since its last decision point.
  bool stored_since(Thread thread) const {
    return threads_[thread].buffer.size() > threads_[thread].older;
  }

  // An event of `thread` on something that is not a word (a queue of sleepers, the clock, a key),
  // which the caller identifies by a number. An event that writes is ordered with all other events
  // on the same thing.
  void note(Thread thread, std::uint64_t number, bool writes);

  // Marks a moment of `thread`. happens_before() then says whether everything that `other` did up
  // to its moment happens before the next event of `thread`.
  std::uint32_t stamp(Thread thread) { return ++threads_[thread].clock.at[thread]; }
  bool happens_before(Thread other, std::uint32_t moment, Thread thread) const {
    return threads_[thread].clock.at[other] >= moment;
  }
  // The current moment of `thread` for happens_before(). Everything that it does up to its next
  // release belongs to the same moment.
  std::uint32_t moment(Thread thread) const { return threads_[thread].clock.at[thread]; }

  // The next access is a volatile one that the program itself performs. It is ordered as on x86,
  // where a load acquires and a store releases; with MemoryModel::kC11 as a relaxed one, of which
  // only the last value is known.
  void volatile_access(Thread thread, const void* word, bool writes);

  // The program itself is about to write to a possible word with an access that is not atomic.
  // After that, only the last value of the word is known.
  void overwritten(const void* word);

  // After an execution: restores variables with static storage to their values before it.
  void end() { restore_static(); }

  // Call it before a write that is not atomic. A variable with static storage then has its old
  // value at the beginning of the next execution.
  void keep_static(const void* location, std::size_t bytes);

  const std::vector<AddressRange>& static_storage() const { return static_storage_; }

  std::uint64_t state() const { return state_; }
  std::uint64_t changes() const { return changes_; }  // number of visible writes

  // The number of the word that was used before it existed or after it was destroyed.
  std::optional<std::uint32_t> dead_word() const { return dead_word_; }

  // Words are numbered in the order in which they begin to exist.
  std::uint32_t number_of(const void* word);

 private:
  struct Word {
    std::size_t offset = kOutside;  // in the arena
    unsigned bytes = 0;             // of its widest access; 0: announced when it began to exist
    bool alive = true;
    bool mixed = false;  // accessed with overlapping sizes or offsets: all of them are one word
    VectorClock release;
    std::uint64_t last_write = 0;
    std::uint64_t reads = 0;  // since the last write
  };
  // Accesses that overlap lie between two multiples of this many bytes.
  static constexpr std::size_t kWidestWord = 8;
  static std::size_t offset_in_word(const void* byte);
  static constexpr std::size_t kOutside = ~std::size_t{0};

  struct Store {
    void* word;
    unsigned bytes;
    std::uint64_t bits;
    VectorClock release;
  };

  struct ThreadState {
    VectorClock clock;
    VectorClock acquirable;  // what an acquire fence would join
    VectorClock released;    // what a relaxed store publishes after a release fence
    std::vector<Store> buffer;
    std::size_t older = 0;           // number of stores in the buffer at the last decision point
    std::uint64_t chain = 0;         // hash of its events and everything that they depend on
    std::uint64_t buffer_chain = 0;  // the same for the stores that have left its buffer
  };

  // Only with kC11, in addition to the clocks of ThreadState.
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
  const WordHistory& history_of(const void* word) {
    return histories_[static_cast<std::size_t>(&word_at(word) - words_.data())];
  }
  WordHistory& history_of(const void* word, unsigned bytes);
  static void keep_release_by_byte(WordHistory& history);
  static ByteRelease release_of_bytes(const WordHistory& history, const void* word, unsigned bytes);
  void join_histories(std::size_t number, std::size_t other);
  void begin_history(std::size_t number, const void* word, unsigned bytes);
  bool has_read(Thread thread, const StoreRecord& store) const;
  bool knows(Thread thread, const StoreRecord& store) const;
  std::size_t oldest_readable(Thread thread, const WordHistory& history) const;
  enum class Offer { kNone, kAge, kTaken };
  template <class Judge>
  const std::vector<std::uint8_t>& ages_if(Thread thread, const void* word, unsigned bytes,
                                           const Judge& judge);
  bool may_load(Thread thread, const WordHistory& history, std::size_t index,
                std::memory_order order) const;
  Offer may_store(Thread thread, const WordHistory& history, std::size_t index, bool updates,
                  std::memory_order order) const;
  bool keeps_order(Thread thread, const WordHistory& history, OrderPosition position, bool in_order,
                   const ScSet& fences) const;
  void enter_order(Thread thread, WordHistory& history, OrderPosition position, bool in_order,
                   StoreRecord* made);
  void note_access(Thread thread, WordHistory& history);
  bool end_is_unordered(Thread thread, std::size_t number) const;
  std::uint32_t number_of(const WordHistory& history) const;
  // After a store was added.
  void note_stores(const WordHistory& history);
  void learn_aged(Thread thread, const StoreRecord& store, std::memory_order order);
  void read_aged(Thread thread, WordHistory& history, std::size_t index, std::memory_order order);
  void write_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits, std::size_t age,
                  bool updates, std::memory_order order);
  ScSet weak_fence(Thread thread, std::memory_order order, const ScSet& after);
  ScSet enter_fence(Thread thread, const ScSet& after);
  void weak_fence_all(Thread thread);
  void order_volatile(Thread thread, std::size_t number, bool writes);
  void see(Thread thread, WordHistory& history);
  template <class Visit>
  void for_each_unseen(Thread thread, const Visit& visit);
  void drop_unreadable(WordHistory& history);
  void make_room();
  bool alone() const { return started_ == 1; }

  // True if it is a variable with static storage. Parts of a heap or a stack may have another use
  // when an execution ends.
  bool is_static(const void* word) const;

  std::uint32_t find(const void* word) const;
  void restore_static();
  std::uint32_t join_overlapping(const void* word, unsigned bytes, std::uint32_t number);

  // An object that note() orders, other than a word. An execution has a few of them.
  struct Thing {
    std::uint64_t number;
    Word word;
  };
  Word& thing(std::uint64_t number);

  // The value of such a word before the execution wrote it.
  struct Before {
    void* word;
    unsigned bytes;
    std::uint64_t bits;
  };

  const Arena& arena_;
  MemoryModel memory_model_;
  std::vector<AddressRange> static_storage_;
  std::vector<Before> before_;
  std::vector<std::size_t> aliases_;  // arena offsets of words that are parts of others
  std::vector<ThreadState> threads_;
  std::vector<Word> words_;
  ZeroPages<std::uint32_t> index_;  // by arena offset; 0: no word
  std::unordered_map<const void*, std::uint32_t> outside_;
  std::vector<Thing> things_;
  std::uint64_t state_ = 0;
  std::uint64_t changes_ = 0;
  std::optional<std::uint32_t> dead_word_;
  std::vector<std::uint32_t> on_stack_;  // numbers of the words that are local variables

  // kC11
  std::vector<WordHistory> histories_;      // by number of the word
  std::vector<std::uint32_t> many_stores_;  // words with several stores, ascending; some have ended
  std::array<std::vector<std::uint32_t>, kMaxThreads> polled_;  // words with the thread's polled_by
  std::vector<ScState> sc_states_;
  ScOrder sc_order_;
  std::unordered_map<std::uint32_t, ScSet> last_in_queue_;  // by number of the word
  std::vector<std::uint8_t> ages_;
  std::vector<std::uint8_t> ages_taken_;
  bool offers_all_ = true;
  std::uint64_t step_ = 0;
  const void* code_ = nullptr;
  Thread started_ = 1;  // number of threads
  std::array<bool, kMaxThreads> ended_{};
};

}  // namespace lockbench::stress::explore
