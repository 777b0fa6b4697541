// SPDX-License-Identifier: Apache-2.0

// Coherence: which processor has which cache line, and when a line that it does not have arrives.
//
// Each line is in one of the states of MESI: one processor owns it (modified or exclusive), several
// share it, or none has it. A read takes a share; a write takes the line from all others.
//
// Timing. A request travels for half of the latency to the processor that has the line. That
// processor goes on with the line until the request arrives. From then on the line is under way for
// the other half. Requests for one line are served one after the other, in the order in which they
// arrive. A request that arrives while the line is under way to another processor follows it there,
// for half of the latency from that processor. If the line is only shared, it waits and does not
// follow: any copy will do. A request that was sent before its access was due has less way to go.
//
// Guarantees   Pure: the result depends on the calls alone.
// Requires     Calls of reserve() in the order of their arrival times, and for each of them a call
//              of grant() at the time when its transfer begins.
// Source       the states: M. Papamarcos, J. Patel, "A Low-Overhead Coherence Solution for
//              Multiprocessors with Private Cache Memories", 1984; sequential service of one line:
//              S. Boyd-Wickizer et al., "Non-scalable locks are dangerous", 2012.
#pragma once

#include <array>
#include <cstdint>

#include "harness/machine/machine_model.h"

namespace lockbench::machine {

class ProcessorSet {
 public:
  bool has(std::uint32_t processor) const { return (words_[processor / 64] >> processor % 64) & 1; }
  void add(std::uint32_t processor) { words_[processor / 64] |= bit(processor); }
  void clear() { words_ = {}; }
  bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  // Calls visit(processor) for each, in ascending order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        visit(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(left)));
      }
    }
  }

 private:
  static std::uint64_t bit(std::uint32_t processor) { return std::uint64_t{1} << processor % 64; }

  std::array<std::uint64_t, MachineModel::kMostProcessors / 64> words_{};
};

// Zeros are a line that no cache has.
struct Line {
  std::uint32_t owner = 0;   // the processor's number plus 1; 0: none
  std::uint32_t writer = 0;  // the same of the last request, if it was a write
  std::uint32_t last = 0;    // the same of the last request, a read or a write
  ProcessorSet sharers;      // empty if there is an owner
  Picoseconds free_at = 0;   // when the access of the last request is done
};

class Coherence {
 public:
  explicit Coherence(const MachineModel& model) : model_(model) {}

  // Whether the processor can access the line without a transfer.
  static bool has(const Line& line, std::uint32_t processor, bool writes) {
    return line.owner == processor + 1 || (!writes && line.sharers.has(processor));
  }

  // How long a transfer of the line to the processor takes if it is not delayed by others. A write
  // waits for the farthest processor that loses the line.
  Picoseconds distance(const Line& line, std::uint32_t processor, bool writes) const;

  struct Transfer {
    Picoseconds begins;  // from now on the others have lost the line, and …
    Picoseconds ends;    // … from now on the processor can go on
  };

  // A request of the processor has arrived at `arrival`. It gets its place after earlier ones. It
  // was sent `ahead` before the access, so the rest of the way is shorter by that, unless the line
  // is under way.
  Transfer reserve(Line& line, std::uint32_t processor, bool writes, Picoseconds arrival,
                   Picoseconds ahead = 0) const;

  // The transfer begins.
  static void grant(Line& line, std::uint32_t processor, bool writes);

 private:
  const MachineModel& model_;
};

}  // namespace lockbench::machine
