// SPDX-License-Identifier: Apache-2.0

// Memory with MemoryModel::kC11: which stores C++20 allows a load to read, and at which positions
// in its word's modification order it allows a store.
//
// Threads run in turn, so everything that an access depends on has happened before it: an execution
// is built along sequenced-before and reads-from, which cannot have a cycle. At each access, only
// choices that keep the execution consistent are offered. The rules are:
//
//   coherence   An access is not coherence-ordered before anything that happens before it. The
//               oldest store that a thread may read is the youngest one that happens before its
//               next access or that was read by something that does. A store of the thread comes
//               after that one.
//   atomicity   No store comes between a read-modify-write and the store that it read.
//   S           The total order of sequentially consistent operations exists (sc_order.h). The
//               coherence order of a word is: each store, then the accesses that read it, then the
//               next store. If A comes before B in the coherence order, then A, or any fence that
//               happens before A, comes in S before B, or any fence that B happens before. An event
//               strongly happens before another along sequenced-before, or if something between
//               them happens before something else between them.
//
// A new access comes last in all of these orders, except for the stores that it chooses to precede
// in its word's order. So a choice of an earlier access cannot become inconsistent later, and the
// last store can always be read.

#include <algorithm>
#include <cstring>

#include "harness/stress/explore/memory/memory.h"
#include "harness/stress/explore/memory/memory_orders.h"
#include "harness/stress/explore/strategy.h"
#include "harness/stress/mix.h"

namespace lockbench::stress::explore {
namespace {

// If a word has more stores than this, those that no thread can read are removed.
constexpr std::size_t kManyStores = 8;

// The most stores that are kept for a word. Without this limit, a thread that never reads the word
// would let its history grow without end. Only the last kMostAges can be chosen anyway.
constexpr std::size_t kMostStores = 64;
static_assert(kMostStores > kMostAges);

constexpr std::uint64_t kLoads = 4;
constexpr std::uint64_t kStores = 5;
constexpr std::uint64_t kFences = 8;
constexpr std::uint64_t kSees = 11;

std::uint64_t bits_at(const void* word, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, word, bytes);
  return bits;
}

// The part of the state's hash for two stores that follow each other in modification order.
std::uint64_t successors(const StoreRecord& first, const StoreRecord& second) {
  return mix(first.hash * 0x9e3779b97f4a7c15ULL ^ mix(second.hash));
}

bool in_order(std::memory_order order) {
  return order == std::memory_order_seq_cst;
}

// The sources of the first `stores` stores, and of the accesses that read the first `read` stores.
ScSet sources_of(const WordHistory& history, std::size_t stores, std::size_t read) {
  ScSet sources = history.dropped_sources;
  for (std::size_t i = 0; i < stores; ++i) sources |= history.stores[i].write_sources;
  for (std::size_t i = 0; i < read; ++i) sources |= history.stores[i].read_sources;
  return sources;
}

ScSet sources_before(const WordHistory& history, OrderPosition position) {
  return sources_of(history, position.index + 1, position.index + (position.stores ? 1 : 0));
}

ScSet targets_after(const WordHistory& history, OrderPosition position) {
  ScSet targets;
  for (std::size_t i = position.index + 1; i < history.stores.size(); ++i) {
    targets |= history.stores[i].write_targets;
    targets |= history.stores[i].read_targets;
  }
  return targets;
}

}  // namespace

// ---- histories

void Memory::begin_history(std::size_t number, const void* word, unsigned bytes) {
  if (histories_.size() <= number) histories_.resize(number + 1);
  WordHistory& history = histories_[number];
  history.stores.clear();
  history.stores.push_back({.bits = bits_at(word, bytes), .hash = mix(number)});
  history.dropped_sources = {};
  history.accessed_at = {};
  history.born_by = history.born_at = 0;
  history.polled_by = 0;
  history.at = word;
  history.bytes = bytes;
  history.bytes_released.clear();
  history.stored = history.overwritten = false;
}

// ---- words that are accessed in several sizes. ISO C++ does not define such programs. Processors
// order by byte: a store to one byte ends the release sequence of that byte, and of no other.

// From now on, the bytes of the last access have the releases of the last store.
void Memory::keep_release_by_byte(WordHistory& history) {
  const StoreRecord& last = history.stores.back();
  const bool is_first = history.bytes_released.empty();
  if (is_first) history.bytes_released.resize(kWidestWord);
  if (!is_first && !history.stored) return;
  const std::size_t first = offset_in_word(history.at);
  const std::size_t end = std::min<std::size_t>(first + history.bytes, kWidestWord);
  for (std::size_t byte = first; byte < end; ++byte) {
    history.bytes_released[byte] = {last.release, last.sc_release};
  }
}

// Everything that the stores to the bytes of an access release.
ByteRelease Memory::release_of_bytes(const WordHistory& history, const void* word, unsigned bytes) {
  ByteRelease all;
  const std::size_t first = offset_in_word(word);
  const std::size_t end = std::min<std::size_t>(first + bytes, kWidestWord);
  for (std::size_t byte = first; byte < end; ++byte) {
    all.release.join(history.bytes_released[byte].release);
    all.sc_release.join(history.bytes_released[byte].sc_release);
  }
  return all;
}

// An access shows that `other` is a part of `number`.
void Memory::join_histories(std::size_t number, std::size_t other) {
  const bool known = other < histories_.size() && !histories_[other].stores.empty();
  if (!known || number >= histories_.size() || histories_[number].stores.empty()) return;
  WordHistory& whole = histories_[number];
  WordHistory& part = histories_[other];
  keep_release_by_byte(whole);
  keep_release_by_byte(part);
  whole.stored = false;
  const std::size_t first = offset_in_word(part.at);
  const std::size_t end = std::min<std::size_t>(first + part.bytes, kWidestWord);
  for (std::size_t byte = first; byte < end; ++byte) {
    whole.bytes_released[byte] = part.bytes_released[byte];
  }
  for (Thread thread = 0; thread < started_; ++thread) {
    whole.accessed_at[thread] = std::max(whole.accessed_at[thread], part.accessed_at[thread]);
  }
  whole.overwritten = true;
}

WordHistory& Memory::history_of(const void* word, unsigned bytes) {
  const auto number = static_cast<std::size_t>(&word_at(word) - words_.data());
  if (histories_.size() <= number || histories_[number].stores.empty()) {
    begin_history(number, word, bytes);
  }
  WordHistory& history = histories_[number];
  const bool resized = history.bytes != bytes || history.at != word;
  const bool known = std::memcmp(&history.stores.back().bits, word, bytes) == 0;
  if (!resized && !history.overwritten && known) return history;
  // After an access in another size or to another part of the word, and after a write that is not
  // atomic, only the last value is known.
  if (resized || !history.bytes_released.empty()) keep_release_by_byte(history);
  offers_all_ &= !resized;
  StoreRecord last = history.stores.back();
  last.bits = bits_at(word, bytes);
  last.updates = false;
  if (!history.bytes_released.empty()) {
    const ByteRelease released = release_of_bytes(history, word, bytes);
    last.release = released.release;
    last.sc_release = released.sc_release;
  }
  history.stores.assign(1, last);
  history.at = word;
  history.bytes = bytes;
  history.stored = false;
  history.overwritten = false;
  return history;
}

bool Memory::has_read(Thread thread, const StoreRecord& store) const {
  const auto& clock = threads_[thread].clock.at;
  for (Thread reader = 0; reader < started_; ++reader) {
    if (store.read_at[reader] != 0 && clock[reader] >= store.read_at[reader] - 1) return true;
  }
  return false;
}

bool Memory::knows(Thread thread, const StoreRecord& store) const {
  return threads_[thread].clock.at[store.thread] >= store.stamp || has_read(thread, store);
}

std::size_t Memory::oldest_readable(Thread thread, const WordHistory& history) const {
  std::size_t index = history.stores.size() - 1;
  while (index > 0 && !history.stores[index].closed && !knows(thread, history.stores[index])) {
    --index;
  }
  return index;
}

void Memory::drop_unreadable(WordHistory& history) {
  if (history.stores.size() <= (alone() ? 1 : kManyStores)) return;
  std::size_t oldest = history.stores.size() - 1;
  for (Thread thread = 0; thread < started_; ++thread) {
    if (!ended_[thread]) oldest = std::min(oldest, oldest_readable(thread, history));
  }
  if (history.stores.size() > kMostStores) {
    oldest = std::max(oldest, history.stores.size() - 1 - kMostAges);
    offers_all_ = false;
  }
  history.dropped_sources = sources_of(history, oldest, oldest);
  history.stores.erase(history.stores.begin(),
                       history.stores.begin() + static_cast<std::ptrdiff_t>(oldest));
}

// ---- the total order of sequentially consistent operations

// True if S still exists if an access comes to this position. `fences` happen before the access.
bool Memory::keeps_order(Thread thread, const WordHistory& history, OrderPosition position,
                         bool in_order, const ScSet& fences) const {
  if (sc_order_.empty()) return true;
  const ScSet targets = targets_after(history, position);
  if (targets.empty()) return true;
  ScSet sources = fences;
  if (in_order) sources |= sc_states_[thread].now.before | sources_before(history, position);
  return !sc_order_.reaches(targets, sources);
}

// `made` is the record of the store that the access makes, which is not in the history yet. Null:
// the access is a load.
void Memory::enter_order(Thread thread, WordHistory& history, OrderPosition position, bool in_order,
                         StoreRecord* made) {
  ScKnowledge& now = sc_states_[thread].now;
  ScSet self;
  if (in_order && !alone()) {
    self.add(sc_order_.add(now.before | sources_before(history, position)));
  }
  const ScSet sources = now.fences | self;
  if (sources.empty()) return;
  sc_order_.order(sources, targets_after(history, position));
  if (made != nullptr) {
    made->write_sources = sources;
    made->write_targets = self;
  } else {
    history.stores[position.index].read_sources |= sources;
    history.stores[position.index].read_targets |= self;
  }
  now.before |= self;
}

ScSet Memory::enter_fence(Thread thread, const ScSet& after) {
  ScSet before = sc_states_[thread].now.before | after;
  const std::size_t words = std::min(words_.size(), histories_.size());
  // Visits, for each word, the last access in its coherence order that happens before the fence.
  const auto for_each_last = [&](const auto& visit) {
    for (std::size_t number = 1; number < words; ++number) {
      WordHistory& history = histories_[number];
      if (!words_[number].alive || history.stores.empty()) continue;
      std::size_t known = history.stores.size();
      while (known > 0 && !knows(thread, history.stores[known - 1])) --known;
      if (known > 0) {
        visit(history, known - 1, has_read(thread, history.stores[known - 1]));
      } else {
        before |= history.dropped_sources;  // the store was dropped
      }
    }
  };
  for_each_last([&](const WordHistory& history, std::size_t index, bool reads) {
    before |= sources_of(history, reads ? index + 1 : index, index);
  });
  ScSet self;
  self.add(sc_order_.add(before));
  for_each_last([&](WordHistory& history, std::size_t index, bool reads) {
    StoreRecord& store = history.stores[index];
    (reads ? store.read_targets : store.write_targets) |= self;
  });
  return self;
}

// Places all events so far before all later ones. Later choices may not contradict that.
void Memory::make_room() {
  constexpr std::uint32_t kMostAtOnce = kMaxThreads + 2;  // a barrier for all threads
  if (sc_order_.has_room(kMostAtOnce)) return;
  offers_all_ = false;
  for (WordHistory& history : histories_) {
    history.dropped_sources = {};
    for (StoreRecord& store : history.stores) {
      store.closed |= !store.write_targets.empty() || !store.read_targets.empty();
      store.sc_release = {};
      store.write_sources = store.read_sources = store.write_targets = store.read_targets = {};
    }
  }
  std::fill(sc_states_.begin(), sc_states_.end(), ScState{});
  last_in_queue_.clear();
  sc_order_.clear();
}

// ---- what may be chosen

template <class Judge>
const std::vector<std::uint8_t>& Memory::ages_if(Thread thread, const void* word, unsigned bytes,
                                                 const Judge& judge) {
  make_room();
  const WordHistory& history = history_of(word, bytes);
  const std::size_t last = history.stores.size() - 1;
  const std::size_t oldest = oldest_readable(thread, history);
  offers_all_ &= last - oldest <= kMostAges;
  ages_.clear();
  ages_taken_.clear();
  for (std::size_t age = 0; age <= std::min(last - oldest, kMostAges); ++age) {
    const Offer offer = judge(history, last - age);
    if (offer == Offer::kAge) ages_.push_back(static_cast<std::uint8_t>(age));
    if (offer == Offer::kTaken) ages_taken_.push_back(static_cast<std::uint8_t>(age));
  }
  return ages_;
}

bool Memory::may_load(Thread thread, const WordHistory& history, std::size_t index,
                      std::memory_order order) const {
  ScSet fences = sc_states_[thread].now.fences;
  if (acquires(order)) fences |= history.stores[index].sc_release.fences;
  return keeps_order(thread, history, {index, false}, in_order(order), fences);
}

Memory::Offer Memory::may_store(Thread thread, const WordHistory& history, std::size_t index,
                                bool updates, std::memory_order order) const {
  const bool between = index + 1 < history.stores.size() && history.stores[index + 1].updates;
  if (between) {
    return updates && may_load(thread, history, index, order) ? Offer::kTaken : Offer::kNone;
  }
  ScSet fences = sc_states_[thread].now.fences;
  if (updates && acquires(order)) fences |= history.stores[index].sc_release.fences;
  const bool keeps = keeps_order(thread, history, {index, true}, in_order(order), fences);
  return keeps ? Offer::kAge : Offer::kNone;
}

const std::vector<std::uint8_t>& Memory::ages_to_load(Thread thread, const void* word,
                                                      unsigned bytes, std::memory_order order) {
  return ages_if(thread, word, bytes, [&](const WordHistory& history, std::size_t index) {
    return may_load(thread, history, index, order) ? Offer::kAge : Offer::kNone;
  });
}

const std::vector<std::uint8_t>& Memory::ages_to_store(Thread thread, const void* word,
                                                       unsigned bytes, std::memory_order order) {
  return ages_if(thread, word, bytes, [&](const WordHistory& history, std::size_t index) {
    return may_store(thread, history, index, false, order);
  });
}

const std::vector<std::uint8_t>& Memory::ages_to_update(Thread thread, const void* word,
                                                        unsigned bytes, std::memory_order order) {
  return ages_if(thread, word, bytes, [&](const WordHistory& history, std::size_t index) {
    return may_store(thread, history, index, true, order);
  });
}

const std::vector<std::uint8_t>& Memory::ages_to_compare(Thread thread, const void* word,
                                                         unsigned bytes, std::uint64_t expected,
                                                         std::memory_order success,
                                                         std::memory_order failure) {
  return ages_if(thread, word, bytes, [&](const WordHistory& history, std::size_t index) {
    if (history.stores[index].bits == expected) {
      return may_store(thread, history, index, true, success);
    }
    return may_load(thread, history, index, failure) ? Offer::kAge : Offer::kNone;
  });
}

// ---- accesses

void Memory::note_access(Thread thread, WordHistory& history) {
  history.accessed_at[thread] = threads_[thread].clock.at[thread] + 1;
  if ((history.polled_by >> thread & 1) != 0) return;
  history.polled_by |= static_cast<std::uint16_t>(1U << thread);
  polled_[thread].push_back(number_of(history));
}

std::uint32_t Memory::number_of(const WordHistory& history) const {
  return static_cast<std::uint32_t>(&history - histories_.data());
}

void Memory::note_stores(const WordHistory& history) {
  if (history.stores.size() != 2) return;
  const std::uint32_t number = number_of(history);
  const auto found = std::lower_bound(many_stores_.begin(), many_stores_.end(), number);
  if (found == many_stores_.end() || *found != number) many_stores_.insert(found, number);
}

void Memory::learn_aged(Thread thread, const StoreRecord& store, std::memory_order order) {
  if (acquires(order)) {
    threads_[thread].clock.join(store.release);
    sc_states_[thread].now.fences |= store.sc_release.fences;
  } else {
    threads_[thread].acquirable.join(store.release);
    sc_states_[thread].acquirable.join(store.sc_release);
  }
}

void Memory::read_aged(Thread thread, WordHistory& history, std::size_t index,
                       std::memory_order order) {
  ThreadState& self = threads_[thread];
  ScState& sc = sc_states_[thread];
  StoreRecord& store = history.stores[index];
  note_access(thread, history);
  if (store.read_at[thread] == 0) store.read_at[thread] = self.clock.at[thread] + 1;
  event(self.chain, kLoads ^ mix(store.hash), nullptr, false);
  learn_aged(thread, store, order);
  enter_order(thread, history, {index, false}, in_order(order), nullptr);
  // Everything that is ordered before the store by its release strongly happens before the events
  // that follow this access.
  if (acquires(order)) sc.now.before |= store.sc_release.before;
}

std::uint64_t Memory::load_aged(Thread thread, const void* word, std::size_t age,
                                std::memory_order order) {
  WordHistory& history = histories_[number_of(word)];
  const std::size_t index = history.stores.size() - 1 - age;
  read_aged(thread, history, index, order);
  return history.stores[index].bits;
}

void Memory::write_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits,
                        std::size_t age, bool updates, std::memory_order order) {
  ThreadState& self = threads_[thread];
  ScState& sc = sc_states_[thread];
  WordHistory& history = histories_[number_of(word)];
  const std::size_t index = history.stores.size() - 1 - age;
  const StoreRecord& before = history.stores[index];
  note_access(thread, history);
  StoreRecord made{.bits = bits,
                   .step = step_,
                   .code = code_,
                   .thread = thread,
                   .stamp = self.clock.at[thread],
                   .updates = updates};
  if (updates) {
    event(self.chain, kLoads ^ mix(before.hash), nullptr, false);
    learn_aged(thread, before, order);
  }
  made.release = releases(order) ? self.clock : self.released;
  made.sc_release = releases(order) ? sc.now : sc.released;
  enter_order(thread, history, {index, true}, in_order(order), &made);
  if (updates) {
    // A read-modify-write continues the release sequence of the store that it read.
    made.release.join(before.release);
    made.sc_release.join(before.sc_release);
    if (acquires(order)) sc.now.before |= before.sc_release.before;
  }
  if (releases(order)) ++self.clock.at[thread];
  event(self.chain, kStores ^ bits << 8, nullptr, false);
  made.hash = self.chain;
  state_ += successors(before, made);
  if (age == 0) {
    write(word, bytes, bits);
  } else {
    const StoreRecord& after = history.stores[index + 1];
    state_ += successors(made, after) - successors(before, after);
  }
  history.stores.insert(history.stores.begin() + static_cast<std::ptrdiff_t>(index) + 1, made);
  history.stored = true;
  note_stores(history);
  drop_unreadable(history);
}

void Memory::store_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits,
                        std::size_t age, std::memory_order order) {
  write_aged(thread, word, bytes, bits, age, false, order);
}

void Memory::end_update_aged(Thread thread, void* word, unsigned bytes, std::uint64_t bits,
                             bool writes, std::size_t age, std::memory_order order) {
  if (writes) return write_aged(thread, word, bytes, bits, age, true, order);
  WordHistory& history = histories_[number_of(word)];
  read_aged(thread, history, history.stores.size() - 1 - age, order);
}

// ---- fences

ScSet Memory::weak_fence(Thread thread, std::memory_order order, const ScSet& after) {
  ThreadState& self = threads_[thread];
  ScState& sc = sc_states_[thread];
  ScKnowledge before = sc.now;
  if (acquires(order)) {
    self.clock.join(self.acquirable);
    sc.now.fences |= sc.acquirable.fences;
    before.join(sc.acquirable);
  }
  ScSet fence;
  if (in_order(order) && !alone()) {
    fence = enter_fence(thread, after);
    before.fences |= fence;
  }
  if (releases(order)) {
    self.released = self.clock;
    sc.released = before;
    ++self.clock.at[thread];
  }
  sc.now = before;
  sc.now.before |= fence;
  event(self.chain, kFences, nullptr, false);
  return fence;
}

// A barrier that one thread imposes on all, like membarrier. Each other thread gets a fence at its
// current position or at its end, between two fences of the caller.
void Memory::weak_fence_all(Thread thread) {
  make_room();
  const ScSet first = weak_fence(thread, std::memory_order_seq_cst, {});
  const std::uint64_t call = mix(threads_[thread].chain);
  ScSet others;
  for (Thread other = 0; other < started_; ++other) {
    if (other == thread) continue;
    others |= weak_fence(other, std::memory_order_seq_cst, first);
    event(threads_[other].chain, call, nullptr, false);
  }
  weak_fence(thread, std::memory_order_seq_cst, others);
}

void Memory::queue_fence(Thread thread, const void* word, std::uint64_t thing) {
  const std::uint32_t number = number_of(word);
  make_room();
  ScSet& last = last_in_queue_[number];
  last = weak_fence(thread, std::memory_order_seq_cst, last);
  note(thread, thing, true);
}

// ---- accesses that are not atomic

void Memory::overwritten(const void* word) {
  if (!knows(word)) return;
  const std::uint32_t number = number_of(word);
  if (number < histories_.size()) histories_[number].overwritten = true;  // see history_of()
}

// A word may have atomic accesses in addition to volatile ones. C++ gives a volatile access no
// order, so a volatile store publishes what a fence before it releases, and no more.
void Memory::order_volatile(Thread thread, std::size_t number, bool writes) {
  if (number >= histories_.size() || histories_[number].stores.empty()) return;
  StoreRecord& last = histories_[number].stores.back();
  if (!writes) return threads_[thread].acquirable.join(last.release);
  last.release = threads_[thread].released;
  last.sc_release = sc_states_[thread].released;
  histories_[number].stored = histories_[number].overwritten = true;
}

// ---- stores that become visible

void Memory::see(Thread thread, WordHistory& history) {
  StoreRecord& last = history.stores.back();
  if (last.read_at[thread] == 0) last.read_at[thread] = threads_[thread].clock.at[thread] + 1;
  event(threads_[thread].chain, kSees ^ mix(last.hash), nullptr, false);
}

template <class Visit>
void Memory::for_each_unseen(Thread thread, const Visit& visit) {
  std::erase_if(many_stores_, [this](std::uint32_t number) {
    return !words_[number].alive || histories_[number].stores.size() < 2;
  });
  for (const std::uint32_t number : many_stores_) {
    WordHistory& history = histories_[number];
    if (oldest_readable(thread, history) + 1 < history.stores.size()) visit(history);
  }
}

bool Memory::has_unseen(Thread thread) {
  bool found = false;
  for_each_unseen(thread, [&](const WordHistory&) { found = true; });
  return found;
}

void Memory::see_all(Thread thread) {
  for_each_unseen(thread, [&](WordHistory& history) { see(thread, history); });
}

bool Memory::polls_unseen(Thread thread) {
  bool found = false;
  for_each_unseen(
      thread, [&](const WordHistory& history) { found |= (history.polled_by >> thread & 1) != 0; });
  return found;
}

void Memory::see_polled(Thread thread) {
  for_each_unseen(thread, [&](WordHistory& history) {
    if ((history.polled_by >> thread & 1) != 0) see(thread, history);
  });
  for (const std::uint32_t number : polled_[thread]) {
    histories_[number].polled_by &= static_cast<std::uint16_t>(~(1U << thread));
  }
  polled_[thread].clear();
}

// ---- the beginning and end of a word

bool Memory::end_is_unordered(Thread thread, const void* word) {
  return end_is_unordered(thread, number_of(word));
}

bool Memory::end_is_unordered(Thread thread, std::size_t number) const {
  if (number >= histories_.size()) return false;
  const WordHistory& history = histories_[number];
  for (Thread other = 0; other < started_; ++other) {
    if (threads_[thread].clock.at[other] + 1 < history.accessed_at[other]) return true;
  }
  return false;
}

bool Memory::any_end_is_unordered(Thread thread, const void* begin, const void* end) {
  const std::size_t first = arena_.offset(begin);
  const std::size_t last = arena_.offset(end);
  for (std::size_t number = 1; number < words_.size(); ++number) {
    const Word& word = words_[number];
    if (!word.alive || word.offset < first || word.offset >= last) continue;
    if (end_is_unordered(thread, number)) return true;
  }
  return false;
}

bool Memory::beginning_is_unordered(Thread thread, const void* word) {
  const std::uint32_t number = number_of(word);
  if (number >= histories_.size()) return false;
  const WordHistory& history = histories_[number];
  return threads_[thread].clock.at[history.born_by] < history.born_at;
}

}  // namespace lockbench::stress::explore
