// SPDX-License-Identifier: Apache-2.0

// PlainAccesses: finds data races among the accesses of instrumented code that are not atomic.
//
// Two accesses of different threads to one byte race if at least one of them writes and the C++
// memory model orders neither after the other. A simulation performs them one after the other, so
// their results do not show what a compiler or a processor may do with them. So races are found by
// vector clocks and not by results.
//
// Guarantees   Each reported race is a race in this execution.
// Not offered  All races of an execution: for each byte, it stores only the latest access of each
//              thread.
// Source       C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection",
//              2009.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/explore/memory/arena.h"
#include "harness/stress/explore/memory/memory.h"
#include "harness/stress/explore/memory/vector_clock.h"
#include "harness/stress/explore/memory/zero_pages.h"

namespace lockbench::stress::explore {

struct PlainAccess {
  const void* location = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
  const void* code = nullptr;  // its address in the program
};

struct DataRace {
  std::uint32_t thread;
  PlainAccess access;
  bool atomic = false;  // `access` is an atomic one
  // The access that came first. Without a thread: an atomic one of any other thread.
  std::optional<std::uint32_t> other{};
  const void* other_code = nullptr;
  bool other_writes = false;
};

class PlainAccesses {
 public:
  explicit PlainAccesses(const Arena& arena) : arena_(arena) {}

  // Forgets all accesses.
  void reset();

  // True if `thread` was the last to make the same access, among those that share an entry of
  // recent_, and has released nothing since. Then adding it would find and change nothing.
  bool is_repeated(const Memory& memory, std::uint32_t thread, const PlainAccess& access) {
    const Recent now{.location = access.location,
                     .bytes = access.bytes,
                     .execution = execution_,
                     .moment = memory.moment(thread),
                     .thread = static_cast<std::uint8_t>(thread),
                     .writes = access.writes};
    Recent& last = recent_[reinterpret_cast<std::uintptr_t>(access.location) / 4 % kRecent];
    if (last == now) return true;
    last = now;
    return false;
  }

  // The first race between this access of `thread` and earlier accesses. The access begins in the
  // arena.
  std::optional<DataRace> add(const Memory& memory, std::uint32_t thread,
                              const PlainAccess& access);
  // The same for an atomic access, which is not added. It races with writes that are not atomic,
  // such as the one that gives an atomic object its first value.
  std::optional<DataRace> race_of_atomic(const Memory& memory, std::uint32_t thread,
                                         const PlainAccess& access) const;
  // True if `thread`, which frees this memory, may do so before an access of another thread:
  // nothing orders the two.
  bool race_with_free(const Memory& memory, std::uint32_t thread, const void* location,
                      std::size_t bytes) const;

 private:
  static constexpr std::size_t kGranule = 8;
  static constexpr std::size_t kKept = 8;
  static constexpr std::size_t kRecent = 256;

  struct Recent {
    const void* location = nullptr;
    std::size_t bytes = 0;
    std::uint64_t execution = 0;
    std::uint32_t moment = 0;
    std::uint8_t thread = 0;
    bool writes = false;

    bool operator==(const Recent&) const = default;
  };

  struct Earlier {
    std::uint8_t bytes = 0;  // of the granule, one bit each
    std::uint8_t thread = 0;
    bool writes = false;
    std::uint32_t moment = 0;
    const void* code = nullptr;
  };

  struct Granule {
    std::size_t index = 0;  // in index_
    std::array<Earlier, kKept> earlier;
    std::uint8_t count = 0;
    std::uint8_t next = 0;  // position to overwrite when all are in use
  };

  static DataRace race_between(std::uint32_t thread, const PlainAccess& access, bool atomic,
                               const Earlier& earlier);
  static void remember(Granule& granule, const Earlier& access);

  Granule& at(std::size_t index);

  const Arena& arena_;
  // By the offset in the arena, divided by kGranule: the number of the granule in granules_,
  // counted from 1; 0: not accessed yet.
  ZeroPages<std::uint32_t> index_{Arena::kBytes / kGranule};
  std::vector<Granule> granules_;  // the first used_ are in use
  std::size_t used_ = 0;
  std::array<Recent, kRecent> recent_;
  std::uint64_t execution_ = 0;  // counts reset()
};

}  // namespace lockbench::stress::explore
