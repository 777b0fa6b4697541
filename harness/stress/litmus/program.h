// SPDX-License-Identifier: Apache-2.0

// LitmusProgram: what each thread (or process) of a run does with a lock: a short list of acts.
//
// Its text is one line, with `|` between threads:
//   L0 U | T0 U | W1:2000000 R500 U | B0+1 U
//   L locks a key, T tries to, W tries to for at most so many nanoseconds, B locks two keys at
//   once, U unlocks what was acquired last, E does so while an exception is in flight, R sleeps for
//   so many nanoseconds, A waits for the end of another thread, F unlocks a key that the thread
//   does not hold, X locks a key and unlocks it for the last time: the last thread that does so
//   then destroys the lock. If a T or W fails, the acts up to its U or E are skipped.
//
// Before the acts of the first thread may stand what holds for the whole program:
//   K16 C254 L0 U | L0 U
//   K16: the numbers of keys stand for others (keys.h); C254: before the threads begin, key 0 is
//   locked and unlocked 254 times, so that what counts acquisitions is about to overflow; D254:
//   after that one thread holds key 0 while another is refused it 254 times.
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
    kUnlock = 'U',
    kUnlockThrowing = 'E',
    kUnlockByNonOwner = 'F',
    kSleep = 'R',
    kAwaitEnd = 'A',
    kLeaveForGood = 'X',
  };
  Kind kind = kLock;
  std::uint32_t key = 0;    // of kAwaitEnd: the thread
  std::uint32_t other = 0;  // the second key of kLockBoth
  std::int64_t ns = 0;      // of kTryLockFor and kSleep

  bool operator==(const Act&) const = default;
};

struct LitmusProgram {
  std::vector<std::vector<Act>> threads;
  std::uint32_t key_set = 0;   // see keys.h
  std::uint32_t warm_up = 0;   // holds of key 0 before the threads begin
  std::uint32_t refusals = 0;  // refusals of key 0, which is held, after those

  std::uint32_t keys() const;  // one more than the highest key that an act names
  bool has(Act::Kind kind) const;
  bool operator==(const LitmusProgram&) const = default;
};

// A warm-up takes some nanoseconds a hold, or some steps of a simulation.
inline constexpr std::uint32_t kMostWarmUp = 100'000;

std::string to_text(const LitmusProgram& program);

// Far more than any engine needs to find a fault.
inline constexpr std::uint32_t kHighestKey = 99;

// Fails with InvalidArgument, saying where, what, and what would be right. Refuses a U without an
// acquisition, an acquisition without its U, an A for an unknown thread, a key above kHighestKey,
// and more than `most_threads` threads.
absl::StatusOr<LitmusProgram> program_from(std::string_view text, std::size_t most_threads);

// The keys of an acquisition.
std::string name_of_keys(const Act& act);  // "key 0", "keys 0 and 1"

bool acquires(Act::Kind kind);
bool releases(Act::Kind kind);  // what was acquired

// The position of the U or E that belongs to the acquisition at `position`.
std::size_t end_of_hold(const std::vector<Act>& acts, std::size_t position);

}  // namespace lockbench::stress
