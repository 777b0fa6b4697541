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

#include <absl/container/flat_hash_map.h>

#include "harness/stress/explore/memory.h"
#include "harness/stress/explore/vector_clock.h"

namespace lockbench::stress::explore {

struct PlainAccess {
  const void* place = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
  const void* code = nullptr;  // place in the program
};

struct DataRace {
  std::uint32_t thread;
  PlainAccess access;
  std::uint32_t other;  // the thread whose access came first
  const void* other_code;
  bool other_writes;
};

class PlainAccesses {
 public:
  void reset() { places_.clear(); }

  // The first race between this access of `thread` and earlier accesses.
  std::optional<DataRace> add(const Memory& memory, std::uint32_t thread,
                              const PlainAccess& access);

 private:
  static constexpr std::size_t kGranule = 8;
  static constexpr std::size_t kKept = 8;

  struct Earlier {
    std::uint8_t bytes = 0;  // of the granule, one bit each
    std::uint8_t thread = 0;
    bool writes = false;
    std::uint32_t moment = 0;
    const void* code = nullptr;
  };

  struct Granule {
    std::array<Earlier, kKept> earlier;
    std::uint8_t count = 0;
    std::uint8_t next = 0;  // position to overwrite when all are in use
  };

  static void remember(Granule& granule, const Earlier& access);

  absl::flat_hash_map<std::uintptr_t, Granule> places_;
};

}  // namespace lockbench::stress::explore
