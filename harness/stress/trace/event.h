// SPDX-License-Identifier: Apache-2.0

// Event: one thing that a thread, or a process, was observed to do with a lock. All engines, their
// oracles and the checker of Petri nets speak of events in this form.
//
// An acquisition is observed when the call has returned, a release before unlock() is called. So a
// thread that is observed to hold does hold, and what a correct lock is observed to do is something
// that its model can do.
#pragma once

#include <cstddef>
#include <cstdint>
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
    kForeignUnlock,  // calls unlock() of a key that it does not hold
    kExpire,         // has held for as long as a hold may last
    kDie,            // is killed
    kEnd,            // has come to its end
  };
  Kind kind = kNone;
  std::uint8_t thread = 0;  // or process
  std::uint16_t key = 0;
  std::uint16_t other = 0;  // the second key, if `pair`
  std::uint16_t lease = 0;
  bool pair = false;  // of two different keys that are acquired together

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

// The same event of another kind, such as the release of what was acquired.
constexpr Event as(Event::Kind kind, Event event) {
  event.kind = kind;
  return event;
}

// An event in one word, which is 0 only for Event{}: a word is written in one step, by whoever may
// be killed at any moment.
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

}  // namespace lockbench::stress
