// SPDX-License-Identifier: Apache-2.0

// LitmusProgram: what each thread or process of a run does with a lock, as a short list of acts.
//
// The text form is one line, with `|` between threads:
//   L0 U | T0 U | W1:2000000 R500 U | B0+1 U
// The first letter of an act says what it does:
//   L  locks a key                       T  tries to lock a key
//   W  tries to lock a key for at most the given number of nanoseconds, which may be negative
//   B  locks two keys together           Q  tries to lock two keys together
//   U  unlocks what was acquired last
//   E  does the same as U while an exception is in flight
//   R  sleeps for the given number of nanoseconds
//   A  waits for the end of another thread
//   F  unlocks a key that the thread does not hold
//   X  locks a key and unlocks it for the last time; the last thread that does so then destroys
//      the lock
//   Z  waits until all threads have come to their Z; then the lock is destroyed, and another one is
//      made where it was
// If a T, W or Q fails, the acts up to and including its U or E are skipped.
//
// Before the acts of the first thread, the text may contain settings for the whole program:
//   K16 C254 L0 U | L0 U
//   K16   the keys are replaced by those of key set 16 (keys.h)
//   C254  before the threads begin, key 0 is locked and unlocked 254 times, so that a counter of
//         acquisitions is about to overflow
//   D254  after that, one thread holds key 0 while another thread is refused it 254 times. From
//         D8000 on, as many timeouts follow if the lock has any.
//   N72   after that, one thread holds key 0 while another thread acquires 72 other keys, and the
//         keys that are held are refused. It holds all of them at once if the lock nests keys, and
//         a third thread tries them; otherwise it releases each before the next, and tries key 0.
//   M200  each thread performs its acts 200 times
//   V64   in each of these repetitions the acts name other keys below 64, which `KeysOfPass` draws
//   P900  threads that poll may do so 900 times each before time passes, though no word changes
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench::stress {

struct Act {
  enum Kind : char {
    kLock = 'L',
    kTryLock = 'T',
    kTryLockFor = 'W',
    kLockBoth = 'B',
    kTryBoth = 'Q',
    kUnlock = 'U',
    kUnlockThrowing = 'E',
    kUnlockByNonOwner = 'F',
    kSleep = 'R',
    kAwaitEnd = 'A',
    kLeaveForGood = 'X',
    kMakeAgain = 'Z',
  };
  Kind kind = kLock;
  std::uint32_t key = 0;    // for kAwaitEnd: the number of the thread
  std::uint32_t other = 0;  // the second key of kLockBoth and kTryBoth
  std::int64_t ns = 0;      // for kTryLockFor and kSleep

  bool operator==(const Act&) const = default;
};

struct LitmusProgram {
  std::vector<std::vector<Act>> threads;
  std::uint32_t key_set = 0;     // see keys.h
  std::uint32_t warm_up = 0;     // holds of key 0 before the threads begin
  std::uint32_t refusals = 0;    // refusals of key 0 while it is held, after the warm-up
  std::uint32_t other_keys = 0;  // other keys that are held while key 0 is, after the refusals
  std::uint32_t nest = 0;        // holds of key 0 at once by one thread, after the other keys
  std::uint32_t repeats = 0;     // how often each thread performs its acts; 0 counts as 1
  std::uint32_t spread = 0;      // repetitions name other keys below this; 0: always the same
  std::uint32_t polls = 0;       // of each thread that polls, before time passes; 0: a few

  std::uint32_t named_keys() const;  // one more than the highest key that an act names
  std::uint32_t keys() const;        // one more than the highest key that a repetition may name
  std::uint32_t passes() const { return repeats == 0 ? 1 : repeats; }
  std::uint64_t acts() const;  // what the threads do, repetitions included
  // True if the lock is used before the threads begin.
  bool is_prepared() const { return (warm_up | refusals | other_keys | nest) != 0; }
  bool has(Act::Kind kind) const;
  bool operator==(const LitmusProgram&) const = default;
};

// A warm-up takes a few nanoseconds for each hold, or a few steps of a simulation.
inline constexpr std::uint32_t kMostWarmUp = 100'000;

// Highest number of keys among which the acts of a repetition may choose.
inline constexpr std::uint32_t kMostSpread = 1000;

std::string to_text(const LitmusProgram& program);

// No engine needs nearly as many keys to find a fault.
inline constexpr std::uint32_t kHighestKey = 99;

// Fails with InvalidArgument; the message says where, what is wrong and what is valid. Refuses a U
// without an acquisition, an acquisition without its U, an A for an unknown thread, a key above
// kHighestKey, and more than `most_threads` threads.
absl::StatusOr<LitmusProgram> program_from(std::string_view text, std::size_t most_threads);

// The keys that an acquisition names.
std::string name_of_keys(const Act& act);  // "key 0", "keys 0 and 1"

bool acquires(Act::Kind kind);
bool tries(Act::Kind kind);  // whether it acquires, but may be refused (T, W or Q)
bool names_two_keys(Act::Kind kind);
bool releases(Act::Kind kind);  // whether the act releases an acquisition (U or E)

// The position of the U or E that belongs to the acquisition at `position`.
std::size_t end_of_hold(const std::vector<Act>& acts, std::size_t position);

}  // namespace lockbench::stress
