// SPDX-License-Identifier: Apache-2.0

// Event: one action of a thread or process on a lock, as it was seen. All engines and
// the oracles use this type.
//
// An acquisition is recorded after the call has returned, a release before unlock() is called. So a
// thread that is recorded as a holder does hold, and each recorded trace of a correct lock is one
// that its design allows.
//
// Trace: the events of one run in the order in which they were seen, and how the run ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockbench::stress {

struct Event {
  enum Kind : std::uint8_t {
    kNone,
    kRequest,        // calls lock(), try_lock() or try_lock_for()
    kAcquire,        // that call returned, and the thread holds
    kRefuse,         // that call returned, and the thread does not hold
    kRelease,        // is about to call unlock()
    kReleased,       // unlock() returned
    kForeignUnlock,  // calls unlock() on a key that it does not hold
    kExpire,         // its hold has reached the hold limit
    kDie,            // is killed
    kEnd,            // has finished its acts
  };
  Kind kind = kNone;
  std::uint8_t thread = 0;  // or number of the process
  std::uint16_t key = 0;
  std::uint16_t other = 0;  // the second key, if `pair`
  std::uint16_t lease = 0;
  bool pair = false;  // two different keys that are acquired together

  std::size_t key_count() const { return pair ? 2 : 1; }
  std::uint16_t key_at(std::size_t i) const { return i == 0 ? key : other; }
  std::vector<std::uint32_t> keys() const {
    return pair ? std::vector<std::uint32_t>{key, other} : std::vector<std::uint32_t>{key};
  }
  bool names(std::uint16_t any_key) const { return key == any_key || (pair && other == any_key); }

  bool operator==(const Event&) const = default;
};

struct TimedEvent {
  std::uint64_t at = 0;  // nanoseconds, or steps
  Event event;
};

// The same event with another kind, for example the release of what was acquired.
constexpr Event as(Event::Kind kind, Event event) {
  event.kind = kind;
  return event;
}

// Packs an event into one word, which is 0 only for Event{}. So a thread or process that may be
// killed at any moment writes an event in one step.
//   bits 0-7 kind | 8-15 thread | 16-31 key | 32-47 other | 48-62 lease | 63 pair
constexpr std::uint64_t pack(const Event& event) {
  return std::uint64_t{event.kind} | std::uint64_t{event.thread} << 8 |
         std::uint64_t{event.key} << 16 | std::uint64_t{event.other} << 32 |
         std::uint64_t{event.lease} << 48 | std::uint64_t{event.pair} << 63;
}

constexpr Event event_from(std::uint64_t word) {
  return {.kind = static_cast<Event::Kind>(word & 0xff),
          .thread = static_cast<std::uint8_t>(word >> 8),
          .key = static_cast<std::uint16_t>(word >> 16),
          .other = static_cast<std::uint16_t>(word >> 32),
          .lease = static_cast<std::uint16_t>(word >> 48 & 0x7fff),
          .pair = (word >> 63) != 0};
}

struct Trace {
  enum End : std::uint8_t {
    kFinished,      // every thread finished its acts
    kStuck,         // no thread can ever run again
    kUsedDeadWord,  // the lock accessed a word after the word was destroyed
    kCutOff,        // something else ended the run: the later events are unknown
  };

  // A key whose capacity is larger than the number of threads that could hold it at once.
  struct Shortage {
    std::uint32_t key = 0;
    std::uint32_t free = 0;
  };

  std::vector<Event> events;  // kAcquire, kRelease, kExpire and kDie
  End end = kCutOff;
  std::vector<Event> waits;  // if kStuck: the requests that never returned
  // Seen after all threads had ended:
  std::optional<std::uint64_t> keys_kept;
  std::optional<Shortage> shortage;
};

}  // namespace lockbench::stress
