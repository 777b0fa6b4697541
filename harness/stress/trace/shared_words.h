// SPDX-License-Identifier: Apache-2.0

// Words: the type of the shared words in which threads and processes record what they do
// (threads/shared_state.h, processes/shared_state.h).
//
// Guarantees   The words order no other accesses: every word is written by one relaxed store and
//              read by one relaxed load. A read-modify-write would be a fence on x86, which might
//              hide a missing memory order of the lock.
// Requires     Each word has one writer. This is enough for a count that one thread keeps.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockbench::stress {

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free);

// relaxed: see Guarantees at the top of this file.
inline std::uint64_t get(const Word& word) {
  return word.load(std::memory_order_relaxed);
}
inline void put(Word& word, std::uint64_t value) {
  word.store(value, std::memory_order_relaxed);
}
inline void add(Word& word, std::uint64_t more = 1) {
  put(word, get(word) + more);
}
inline void raise(Word& word, std::uint64_t value) {
  if (value > get(word)) put(word, value);
}

}  // namespace lockbench::stress
