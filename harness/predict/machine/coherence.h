// SPDX-License-Identifier: Apache-2.0

// Coherence: which processor has which cache line, and when a line that it does not have arrives.
//
// Each line is in one of the states of MESI: one processor owns it (modified or exclusive), several
// share it, or none has it. A read takes a share; a write takes the line from all others.
//
// Timing. A request travels for half of the latency to the processor that has the line. That
// processor goes on with the line until the request arrives. From then on the line is under way for
// the other half. Requests for one line are served one after the other, readers too. After a write
// has its line, the directory does not know of it for another half of a latency; a request that
// arrives meanwhile waits until then, and the processor goes on with the line. A request that
// waited already when that transfer began is passed on together with the line: the processor makes
// one access and loses the line, which is then under way for the whole latency. If the line is only
// shared, a reader waits for the last one alone: any copy will do. A request that was sent before
// its access was due has less way to go. A request that finds the last transfer done and known
// takes the quiet share of the latency (MachineModel::quiet).
//
// Where reads take lines (MachineModel::reads_take), a read of a modified line makes its processor
// the owner, as a write does, and the write that usually follows needs no transfer. Others call
// such lines migratory (A. Cox, R. Fowler, "Adaptive Cache Coherency for Detecting Migratory Shared
// Data", 1993).
//
// Each cluster has a directory of its own: processors that share a last-level cache ask it first.
// So while a line is in a cluster, requests from there are served in the order in which they
// arrived, and one that waits elsewhere comes to the cluster half of a latency after the line does.
//
// Guarantees   Pure: the result depends on the calls alone.
// Requires     Calls of request() in the order of their arrival times, calls of serve_next() at
//              Line::free_at while requests wait, and for each transfer a call of grant() at the
//              time when it begins.
// Source       the states: M. Papamarcos, J. Patel, "A Low-Overhead Coherence Solution for
//              Multiprocessors with Private Cache Memories", 1984; sequential service of one line:
//              S. Boyd-Wickizer et al., "Non-scalable locks are dangerous", 2012; that near
//              processors overtake far ones: Z. Radović, E. Hagersten, "Hierarchical Backoff Locks
//              for Nonuniform Communication Architectures", 2003.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/predict/machine/machine_model.h"

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

// An access of a processor that needs the line. Its caller knows which by `thread` and `occasion`.
struct Request {
  std::uint32_t processor;
  bool writes;
  Picoseconds arrival;    // at the directory that has the line
  Picoseconds ahead = 0;  // how long it was sent before the access
  std::uint32_t thread = 0;
  std::uint64_t occasion = 0;
};

// Zeros are a line that no cache has.
struct Line {
  std::uint32_t owner = 0;       // the processor's number plus 1; 0: none
  std::uint32_t writer = 0;      // the same of the last transfer, if it was for a write
  std::uint32_t last = 0;        // the same of the last transfer, for a read or a write
  bool modified = false;         // by the owner
  ProcessorSet sharers;          // empty if there is an owner
  Picoseconds began = 0;         // when the last transfer began
  Picoseconds free_at = 0;       // when its access is done
  std::vector<Request> waiting;  // in the order in which they came
};

class Coherence {
 public:
  explicit Coherence(const MachineModel& model) : model_(model) {}

  // True if the processor can access the line without a transfer.
  static bool has(const Line& line, std::uint32_t processor, bool writes) {
    return line.owner == processor + 1 || (!writes && line.sharers.has(processor));
  }
  // The same for an access that is now made.
  static bool access(Line& line, std::uint32_t processor, bool writes) {
    if (!has(line, processor, writes)) return false;
    line.modified |= writes;
    return true;
  }

  // Where reads take lines that were written, an atomic update begins with a read. That takes the
  // line, too, if it was written; else it makes a copy, and the line is requested a second time.
  bool update_copies_first(const Line& line, std::uint32_t processor) const {
    const bool nobody = line.owner == 0 && line.sharers.empty();
    return model_.reads_take && !nobody && !line.modified && !has(line, processor, false);
  }

  // How long a transfer of the line to the processor takes after another transfer. A write waits
  // for the farthest processor that loses the line.
  Picoseconds distance(const Line& line, std::uint32_t processor, bool writes) const;
  // The same if the last transfer is long over.
  Picoseconds quiet_distance(const Line& line, std::uint32_t processor, bool writes) const;

  struct Transfer {
    Picoseconds begins;  // from now on the others have lost the line, and …
    Picoseconds ends;    // … from now on the processor can go on
  };

  // A request arrives. Empty if it waits for earlier ones.
  std::optional<Transfer> request(Line& line, const Request& request) const;

  // The line is free, and requests wait for it: takes out the one that is next.
  std::pair<Request, Transfer> serve_next(Line& line) const;

  // The transfer begins.
  void grant(Line& line, std::uint32_t processor, bool writes) const;

 private:
  bool takes(const Line& line, bool writes) const {
    return writes || (model_.reads_take && line.modified);
  }
  void note(Line& line, const Request& request, const Transfer& transfer) const;
  bool same_cluster(std::uint32_t a, std::uint32_t b) const {
    return model_.cluster_of(a) == model_.cluster_of(b);
  }

  const MachineModel& model_;
};

}  // namespace lockbench::machine
