// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/memory/memory.h"

#include <algorithm>
#include <cstring>
#include <link.h>
#include <utility>

#include "harness/stress/explore/memory/memory_orders.h"
#include "harness/stress/mix.h"

namespace lockbench::stress::explore {
namespace {

std::uint64_t read(const void* word, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, word, bytes);
  return bits;
}

// The address ranges of the variables with static storage in this program and its libraries.
std::vector<AddressRange> ranges_of_static_storage() {
  std::vector<AddressRange> found;
  const auto add = [](dl_phdr_info* module, std::size_t, void* data) {
    for (std::size_t i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
      const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
      static_cast<std::vector<AddressRange>*>(data)->push_back({begin, begin + segment.p_memsz});
    }
    return 0;
  };
  dl_iterate_phdr(add, &found);
  return found;
}

}  // namespace

std::size_t Memory::offset_in_word(const void* byte) {
  return reinterpret_cast<std::uintptr_t>(byte) % kWidestWord;
}

Memory::Memory(const Arena& arena, MemoryModel memory_model)
    : arena_(arena),
      memory_model_(memory_model),
      static_storage_(ranges_of_static_storage()),
      threads_(kMaxThreads),
      index_(Arena::kBytes),
      sc_states_(kMaxThreads) {
  words_.reserve(1024);
  words_.emplace_back();  // number 0 means no word
}

void Memory::use(MemoryModel memory_model) {
  memory_model_ = memory_model;
  reset();
}

void Memory::reset() {
  for (const Word& word : words_) {
    if (word.offset != kOutside) index_[word.offset] = 0;
  }
  for (; !aliases_.empty(); aliases_.pop_back()) index_[aliases_.back()] = 0;
  words_.resize(1);
  restore_static();
  outside_.clear();
  on_stack_.clear();
  many_stores_.clear();
  for (std::vector<std::uint32_t>& words : polled_) words.clear();
  things_.clear();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    ThreadState& thread = threads_[i];
    thread.clock = thread.acquirable = thread.released = {};
    thread.buffer.clear();
    thread.older = 0;
    thread.chain = mix(i + 1);
    thread.buffer_chain = mix(i + 1 + kMaxThreads);
  }
  state_ = 0;
  changes_ = 0;
  dead_word_.reset();
  started_ = 1;
  ended_.fill(false);
  offers_all_ = true;
  if (!weak()) return;
  std::fill(sc_states_.begin(), sc_states_.end(), ScState{});
  sc_order_.clear();
  last_in_queue_.clear();
  step_ = 0;
}

void Memory::event(std::uint64_t& chain, std::uint64_t what, Word* word, bool writes) {
  const std::uint64_t before = chain;
  std::uint64_t after = mix(chain ^ what * 0x9e3779b97f4a7c15ULL);
  if (word != nullptr) {
    after = mix(after + word->last_write);
    if (writes) {
      after = mix(after ^ word->reads);
      word->last_write = after;
      word->reads = 0;
    } else {
      word->reads += after;  // reads commute
    }
  }
  chain = after;
  // The state is a sum over the chains, so the order of independent events does not affect it.
  state_ += mix(after) - mix(before);
}

Memory::Word& Memory::add_word(const void* word) {
  const auto number = static_cast<std::uint32_t>(words_.size());
  Word& added = words_.emplace_back();
  if (arena_.contains(word)) {
    added.offset = arena_.offset(word);
    index_[added.offset] = number;
    if (added.offset < Arena::kStacks * Arena::kStackBytes) on_stack_.push_back(number);
  } else {
    outside_[word] = number;
  }
  if (number < histories_.size()) histories_[number].stores.clear();
  return added;
}

std::uint32_t Memory::number_of(const void* word) {
  return static_cast<std::uint32_t>(&word_at(word) - words_.data());
}

Memory::Word& Memory::word_at(const void* word) {
  if (arena_.contains(word)) {
    const std::uint32_t number = index_[arena_.offset(word)];
    if (number != 0 && words_[number].alive) return words_[number];
    if (!dead_word_) dead_word_ = number;
    return number != 0 ? words_[number] : add_word(word);
  }
  // Words with static storage exist longer than any simulation.
  const auto found = outside_.find(word);
  return found != outside_.end() ? words_[found->second] : add_word(word);
}

void Memory::started(Thread thread, Thread by) {
  ThreadState& starter = threads_[by];
  flush(by);
  sc_states_[thread].now = sc_states_[by].now;
  started_ = thread + 1;
  threads_[thread].clock.join(starter.clock);
  ++starter.clock.at[by];
  ++threads_[thread].clock.at[thread];
  event(starter.chain, 1, nullptr, true);
  threads_[thread].chain = mix(threads_[thread].chain ^ starter.chain);
}

void Memory::joined(Thread thread, Thread ended) {
  sc_states_[thread].now.join(sc_states_[ended].now);
  threads_[thread].clock.join(threads_[ended].clock);
  threads_[thread].chain = mix(threads_[thread].chain + threads_[ended].chain);
}

void Memory::constructed(Thread thread, const void* word, unsigned bytes) {
  Word& added = add_word(word);
  event(threads_[thread].chain, 2, &added, true);
  if (!weak()) return;
  const std::size_t number = words_.size() - 1;
  begin_history(number, word, bytes);
  // If no other thread was started yet, the event happens before all events of other threads.
  if (alone()) return;
  StoreRecord& first = histories_[number].stores.front();
  histories_[number].born_by = first.thread = thread;
  histories_[number].born_at = first.stamp = threads_[thread].clock.at[thread];
  first.hash = threads_[thread].chain;
}

// Words with static storage remain after an execution and must have the same values at the
// beginning of each one.
void Memory::restore_static() {
  for (; !before_.empty(); before_.pop_back()) {
    std::memcpy(before_.back().word, &before_.back().bits, before_.back().bytes);
  }
}

std::uint32_t Memory::find(const void* word) const {
  if (arena_.contains(word)) return index_[arena_.offset(word)];
  const auto found = outside_.find(word);
  return found != outside_.end() ? found->second : 0;
}

// Merges the words that overlap with the one at `word` into one word: into `number` if that is not
// 0. Returns the number of that word; 0 if there is none.
std::uint32_t Memory::join_overlapping(const void* word, unsigned bytes, std::uint32_t number) {
  const auto begin = reinterpret_cast<std::uintptr_t>(word);
  const std::uintptr_t first = begin - offset_in_word(word);
  for (std::uintptr_t at = first; at < first + kWidestWord; ++at) {
    const auto* const location = static_cast<const std::byte*>(word) + (at - begin);
    const std::uint32_t other = find(location);
    if (at == begin || other == 0 || other == number || !words_[other].alive) continue;
    if (at + words_[other].bytes <= begin || begin + bytes <= at) continue;
    if (number == 0) number = other;
    words_[number].mixed = true;
    words_[number].release.join(words_[other].release);
    if (weak() && other != number) join_histories(number, other);
    arena_.contains(location) ? index_[arena_.offset(location)] = number
                              : outside_[location] = number;
  }
  return number;
}

void Memory::add_unannounced(const void* word, unsigned bytes) {
  if (const std::uint32_t known = find(word); known != 0 && words_[known].alive) {
    if (words_[known].bytes == 0 || words_[known].bytes == bytes) return;
    words_[known].mixed = true;
    if (words_[known].bytes > bytes) return;
    words_[known].bytes = bytes;
    join_overlapping(word, bytes, known);
    return;
  }
  if (const std::uint32_t part_of = join_overlapping(word, bytes, 0)) {
    if (arena_.contains(word)) {
      index_[arena_.offset(word)] = part_of;
      aliases_.push_back(arena_.offset(word));
    } else {
      outside_[word] = part_of;
    }
    words_[part_of].bytes = std::max(words_[part_of].bytes, bytes);
    return;
  }
  Word& added = add_word(word);
  added.bytes = bytes;
  state_ += mix(static_cast<std::uint64_t>(&added - words_.data()));
  if (weak()) begin_history(words_.size() - 1, word, bytes);
}

bool Memory::knows(const void* word) const {
  if (!arena_.contains(word)) return outside_.contains(word);
  const std::uint32_t number = index_[arena_.offset(word)];
  return number != 0 && words_[number].alive;
}

void Memory::destroyed(Thread thread, const void* word) {
  drop_stores(threads_[thread], word);
  if (!arena_.contains(word)) {
    outside_.erase(word);
    return;
  }
  const std::uint32_t number = index_[arena_.offset(word)];
  if (number != 0) words_[number].alive = false;
}

void Memory::forget(const void* begin, const void* end) {
  for (const auto* location = static_cast<const std::byte*>(begin); location < end; ++location) {
    std::uint32_t& number = index_[arena_.offset(location)];
    if (number != 0) words_[number].alive = false;
    number = 0;
  }
}

void Memory::end_frame(Thread thread, const void* begin, const void* end) {
  const std::vector<Store>& buffer = threads_[thread].buffer;
  const auto inside = [=](const void* location) { return begin <= location && location < end; };
  const auto last = std::find_if(buffer.rbegin(), buffer.rend(),
                                 [&](const Store& store) { return inside(store.word); });
  for (auto count = buffer.rend() - last; count > 0; --count) flush_oldest(thread);
  std::erase_if(on_stack_, [&](std::uint32_t number) {
    if (!inside(arena_.begin() + words_[number].offset)) return false;
    words_[number].alive = false;
    return true;
  });
}

void Memory::drop_stores(ThreadState& thread, const void* word) {
  for (std::size_t i = thread.buffer.size(); i-- > 0;) {
    if (thread.buffer[i].word != word) continue;
    thread.buffer.erase(thread.buffer.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < thread.older) --thread.older;
  }
}

void Memory::learn(ThreadState& thread, const Word& word, std::memory_order order) {
  (acquires(order) ? thread.clock : thread.acquirable).join(word.release);
}

std::uint64_t Memory::load(Thread thread, const void* word, unsigned bytes,
                           std::memory_order order) {
  ThreadState& self = threads_[thread];
  Word& there = word_at(word);
  if (there.mixed) flush(thread);
  for (auto store = self.buffer.rbegin(); store != self.buffer.rend(); ++store) {
    if (store->word != word) continue;
    event(self.chain, 3, nullptr, false);
    return store->bits;
  }
  event(self.chain, 4, &there, false);
  learn(self, there, order);
  return read(word, bytes);
}

void Memory::store(Thread thread, void* word, unsigned bytes, std::uint64_t bits,
                   std::memory_order order) {
  ThreadState& self = threads_[thread];
  word_at(word);
  self.buffer.push_back({word, bytes, bits, releases(order) ? self.clock : self.released});
  if (releases(order)) ++self.clock.at[thread];
  event(self.chain, 5 ^ (bits << 8), nullptr, false);
  if (!keeps_back(order)) flush(thread);
}

bool Memory::others_buffer(Thread thread) {
  if (weak()) return has_unseen(thread);
  for (Thread other = 0; other < threads_.size(); ++other) {
    if (other != thread && buffered(other)) return true;
  }
  return false;
}

bool Memory::buffers(Thread thread, const void* word) const {
  const std::vector<Store>& buffer = threads_[thread].buffer;
  return std::any_of(buffer.begin(), buffer.end(),
                     [&](const Store& store) { return store.word == word; });
}

bool Memory::buffers_meet(Thread a, Thread b) const {
  const std::vector<Store>& buffer = threads_[b].buffer;
  return std::any_of(buffer.begin(), buffer.end(),
                     [&](const Store& store) { return buffers(a, store.word); });
}

bool Memory::buffers_within(Thread thread, const void* begin, std::size_t bytes) const {
  const std::vector<Store>& buffer = threads_[thread].buffer;
  const auto* const first = static_cast<const std::byte*>(begin);
  return std::any_of(buffer.begin(), buffer.end(), [&](const Store& store) {
    return first <= store.word && store.word < first + bytes;
  });
}

void Memory::flush_oldest(Thread thread) {
  ThreadState& self = threads_[thread];
  const Store& oldest = self.buffer.front();
  // A thread that reads the value depends on the store, and so on everything that the storing
  // thread did before.
  Word& there = word_at(oldest.word);
  self.buffer_chain = mix(self.buffer_chain ^ (oldest.bits + 1));
  event(self.buffer_chain, 6, &there, true);
  if (!there.mixed) there.release = {};
  there.release.join(oldest.release);
  write(oldest.word, oldest.bytes, oldest.bits);
  self.buffer.erase(self.buffer.begin());
  if (self.older != 0) --self.older;
}

std::vector<Memory::Pending> Memory::pending_stores(Thread thread) const {
  std::vector<Pending> pending;
  for (const Store& store : threads_[thread].buffer) {
    pending.push_back({store.word, store.bytes, store.bits});
  }
  return pending;
}

std::uint64_t Memory::peek(const void* word, unsigned bytes) const {
  return arena_.contains(word) || knows(word) ? read(word, bytes) : 0;
}

void Memory::flush(Thread thread) {
  while (buffered(thread)) flush_oldest(thread);
}

bool Memory::is_static(const void* word) const {
  if (arena_.contains(word)) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(word);
  return std::any_of(static_storage_.begin(), static_storage_.end(),
                     [at](const AddressRange& one) { return one.begin <= at && at < one.end; });
}

void Memory::keep_static(const void* location, std::size_t bytes) {
  if (!is_static(location)) return;
  auto* at = static_cast<std::byte*>(const_cast<void*>(location));
  constexpr std::size_t kMost = sizeof(Before::bits);
  for (; bytes != 0;) {
    const auto part = static_cast<unsigned>(std::min(bytes, kMost));
    before_.push_back({at, part, read(at, part)});
    at += part;
    bytes -= part;
  }
}

void Memory::write(void* word, unsigned bytes, std::uint64_t bits) {
  if (dead_word_ || read(word, bytes) == bits) return;
  ++changes_;
  if (is_static(word)) before_.push_back({word, bytes, read(word, bytes)});
  std::memcpy(word, &bits, bytes);
}

std::uint64_t Memory::begin_update(Thread thread, const void* word, unsigned bytes) {
  flush(thread);
  word_at(word);
  return read(word, bytes);
}

void Memory::end_update(Thread thread, void* word, unsigned bytes, std::uint64_t bits, bool writes,
                        std::memory_order order) {
  ThreadState& self = threads_[thread];
  Word& there = word_at(word);
  event(self.chain, writes ? 7 ^ (bits << 8) : 4, &there, writes);
  learn(self, there, order);
  if (!writes) return;
  // A read-modify-write continues the release sequence of the store that it read.
  there.release.join(releases(order) ? self.clock : self.released);
  if (releases(order)) ++self.clock.at[thread];
  write(word, bytes, bits);
}

void Memory::fence(Thread thread, std::memory_order order) {
  if (weak()) {
    make_room();
    weak_fence(thread, order, {});
    return;
  }
  ThreadState& self = threads_[thread];
  if (order == std::memory_order_seq_cst) flush(thread);
  if (acquires(order)) self.clock.join(self.acquirable);
  if (releases(order)) {
    self.released = self.clock;
    ++self.clock.at[thread];
  }
  event(self.chain, 8, nullptr, false);
}

void Memory::fence_all(Thread thread) {
  if (weak()) return weak_fence_all(thread);
  flush(thread);
  for (Thread other = 0; other < threads_.size(); ++other) {
    while (threads_[other].older != 0) flush_oldest(other);
  }
}

void Memory::volatile_access(Thread thread, const void* word, bool writes) {
  ThreadState& self = threads_[thread];
  flush(thread);
  Word& there = word_at(word);
  event(self.chain, 11, &there, writes);
  if (writes) ++changes_;
  if (weak()) {
    order_volatile(thread, number_of(word), writes);
    if (!writes) return self.acquirable.join(there.release);
    there.release = self.released;
    return;
  }
  if (!writes) return self.clock.join(there.release);
  there.release.join(self.clock);
  ++self.clock.at[thread];
}

Memory::Word& Memory::thing(std::uint64_t number) {
  const auto found = std::find_if(things_.begin(), things_.end(),
                                  [=](const Thing& one) { return one.number == number; });
  if (found != things_.end()) return found->word;
  return things_.emplace_back(Thing{.number = number, .word = {}}).word;
}

void Memory::note(Thread thread, std::uint64_t number, bool writes) {
  event(threads_[thread].chain, 9 ^ (number << 8), &thing(number), writes);
}

}  // namespace lockbench::stress::explore
