// SPDX-License-Identifier: Apache-2.0

// SharedState: what the processes of an epoch tell of themselves, in memory that they share and
// that outlives each of them.
//
// Invariants
//   I1  a slot's words are written by the process that sits on it, but for `process`, `life`,
//       `killed_life` and `stopped`, which are written by the fault injector.
//   I2  a place's words are written by whoever has its key.
//   I3  nothing on the state orders anything (state/words.h): the lock must.
//   I4  `killed_life` is raised before the process is killed, so that whoever finds the name of a
//       dead process inside knows it for one.
//   I5  the failure fits a word and is written in one step: a process may be killed anywhere.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/trace/recent_events.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::processes {

inline constexpr std::uint32_t kMostProcesses = 16;
inline constexpr std::uint32_t kMostKeys = 3;

// A process: its slot, and which of the lives on that slot it is, from 1. As a word never 0, which
// stands for nobody.
struct Name {
  std::uint32_t slot = 0;
  std::uint64_t life = 1;
};

inline constexpr std::uint64_t kNobody = 0;

constexpr std::uint64_t pack(const Name& name) {
  return name.life << 8 | name.slot;
}
constexpr Name name_from(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word & 0xff), word >> 8};
}

struct alignas(platform::kCacheLine) ProcessSlot {
  Word process;  // the kernel's number
  Word life;
  Word killed_life;  // lives up to this one were killed, or are about to be (I4)
  Word stopped;

  RecentEvents events;

  // Of all lives in this epoch.
  std::array<Word, kMostKeys> begun;  // updates
  std::array<Word, kMostKeys> done;

  // Of all epochs.
  std::array<Word, kOracles> evaluations;
  Word acquisitions;
  Word contended;  // takes of a key that somebody was seen to hold
  Word refusals;
  Word injections;
  Word longest_wait_ns;
};

struct alignas(platform::kCacheLine) CriticalSection {
  Word inside;  // a Name
  Word entries;
};

// What somebody is convicted of, without words; fits a Word, as which it is never 0.
struct FailureRecord {
  enum Fault : std::uint8_t {
    kNone,
    kTwoInside,    // `slot` has `key` while `other` does
    kFromStopped,  // the same, and `other` was stopped
    kWipedOff,     // `slot` finds that `other` came in during its hold of `key`
    kTorn,         // `slot` finds no whole number where the updates of `key` are counted
    kUpdatesLost,  // `key` counts `x` updates less than were made
    kUpdatesMore,  // or `x` more
    kTooEarly,     // `slot` was refused `key` after `x` us, before its time was over
    kThrew,        // an exception escaped from lock() or unlock() of `key`
    kStandstill,   // `slot` waits for `key`; `other` is the last that was inside
    kLate,         // half of the killed holders' keys were had again after `x` us only
    kNotFree,      // `key` cannot be had though everybody has gone
    kDependent,    // with `key` held, `other`, another key, cannot be had
    kNoReturn,     // a call on a lock that nobody uses does not return
    kDied,         // `slot` of signal `x`
    kExited,       // `slot` with code `x`
  };
  Fault fault = kNone;
  std::uint8_t slot = 0;
  std::uint8_t other = 0;
  std::uint8_t key = 0;
  std::uint32_t x = 0;
};

inline constexpr std::uint8_t kNoSlot = 0xff;

constexpr std::uint64_t pack(const FailureRecord& c) {
  return std::uint64_t{c.fault} | std::uint64_t{c.slot} << 8 | std::uint64_t{c.other} << 16 |
         std::uint64_t{c.key} << 24 | std::uint64_t{c.x} << 32;
}
constexpr FailureRecord record_from(std::uint64_t word) {
  return {.fault = static_cast<FailureRecord::Fault>(word & 0xff),
          .slot = static_cast<std::uint8_t>(word >> 8),
          .other = static_cast<std::uint8_t>(word >> 16),
          .key = static_cast<std::uint8_t>(word >> 24),
          .x = static_cast<std::uint32_t>(word >> 32)};
}

struct SharedState {
  Word go;
  Word stop;
  Word began_ns;
  Word checking;  // where the check of what is left has got to: the key that it asks for, and 1
  std::array<CriticalSection, kMostKeys> sections;
  std::array<ProcessSlot, kMostProcesses> slots;
  std::atomic<std::uint64_t> failure;

  // Whether the one of that name was killed.
  bool was_killed(std::uint64_t name) const {
    const Name who = name_from(name);
    return get(slots[who.slot].killed_life) >= who.life;
  }

  // The first failure counts. Async-signal-safe.
  void note(const FailureRecord& with) {
    std::uint64_t none = 0;
    // relaxed: I5.
    failure.compare_exchange_strong(none, pack(with), std::memory_order_relaxed);
  }
  FailureRecord noted() const { return record_from(failure.load(std::memory_order_relaxed)); }
};

std::int64_t now_ns();

// A state in memory that child processes share.
using SharedStateMemory = platform::SharedObject<SharedState>;

}  // namespace lockbench::stress::processes
