// SPDX-License-Identifier: Apache-2.0

// KeySequences: the key of each operation of each thread, drawn before the clock starts.
//
// Drawing a key costs as much as locking it. Every thread therefore walks through a ring of keys
// that was drawn in advance, and starts again at its end. A ring also serves the proof: the number
// of operations determines how often each key was used, so the measured loop counts nothing per
// key.
//
// Guarantees   The sequences are the same for the same settings on every machine. Under kAssigned,
//              the rings together contain key k exactly counts[k] times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/settings.h"

namespace lockbench {

class KeySequences {
 public:
  // `per_operation`: keys that one operation uses, 1 or 2. O(keys + all rings).
  static KeySequences draw(const WorkloadSettings& settings, std::uint32_t per_operation = 1);

  std::span<const std::uint32_t> of(std::uint32_t thread) const {
    return std::span(keys_).subspan(thread * ring_, ring_);
  }

 private:
  KeySequences(std::size_t ring, std::vector<std::uint32_t> keys)
      : ring_(ring), keys_(std::move(keys)) {}

  std::size_t ring_;
  std::vector<std::uint32_t> keys_;
};

// One thread's walk round its ring.
class KeyCursor {
 public:
  explicit KeyCursor(std::span<const std::uint32_t> ring) : ring_(ring) {}

  // Always inlined: otherwise the compiler may stop inlining in a long source file, which would
  // slow the loop.
  [[gnu::always_inline]] std::uint32_t next() {
    const std::uint32_t key = ring_[at_];
    if (++at_ == ring_.size()) {
      at_ = 0;
      ++rounds_;
    }
    return key;
  }

  // Has the effect of `count` calls of next().
  void skip(std::uint64_t count) {
    rounds_ += (at_ + count) / ring_.size();
    at_ = (at_ + count) % ring_.size();
  }

  // How often next() was called.
  std::uint64_t taken() const { return rounds_ * ring_.size() + at_; }

  // Calls visit(entry, times) for each position of the ring: how often next() returned it so far.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < ring_.size(); ++i) visit(ring_[i], rounds_ + (i < at_ ? 1 : 0));
  }

  // Adds to tally[k] how often next() returned key k so far. O(ring + keys).
  void count_into(std::span<std::uint64_t> tally) const {
    for_each([&tally](std::uint32_t key, std::uint64_t times) { tally[key] += times; });
  }

  // Calls visit(key_a, key_b, times) for each pair of keys that was used together, in rings drawn
  // with two keys per operation.
  template <class Visit>
  void for_each_pair(Visit visit) const {
    for (std::size_t i = 0; i + 1 < ring_.size(); i += 2) {
      visit(ring_[i], ring_[i + 1], rounds_ + (i < at_ ? 1 : 0));
    }
  }

 private:
  std::span<const std::uint32_t> ring_;
  std::size_t at_ = 0;
  std::uint64_t rounds_ = 0;
};

}  // namespace lockbench
