// SPDX-License-Identifier: Apache-2.0

// Client: what the threads of an investigation do with a suspect: short lists of acts, drawn at
// random to fit what the suspect can do, or written down.
//
// Written, a client is one line, threads apart by `|`:
//   L0 U | T0 U | W1:2000000 R500 U | B0+1 U
//   L takes a key, T tries to, W waits for it for so many nanoseconds at most, B takes two keys at
//   once, U gives back what was taken last, E does so while an exception is under way, R rests for
//   so many nanoseconds, A awaits that another thread has ended, F unlocks a key that it does not
//   hold. What lies between a T or W that failed and its U or E is left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/suspect.h"

namespace lockbench::stress {

struct Act {
  enum Kind : char {
    kTake = 'L',
    kTry = 'T',
    kTakeFor = 'W',
    kTakeBoth = 'B',
    kGive = 'U',
    kGiveThrowing = 'E',
    kGiveForeign = 'F',
    kRest = 'R',
    kAwait = 'A',
  };
  Kind kind = kTake;
  std::uint32_t key = 0;    // or the thread awaited
  std::uint32_t other = 0;  // the second of kTakeBoth
  std::int64_t ns = 0;      // of kTakeFor and kRest

  bool operator==(const Act&) const = default;
};

struct Client {
  std::vector<std::vector<Act>> threads;

  std::uint32_t keys() const;  // the highest named, and one
  bool operator==(const Client&) const = default;
};

std::string to_text(const Client& client);

// Fails with InvalidArgument: where, what, and what would be right. Refuses a U without a take, a
// take without its U, an A for a thread that there is not, and more than `most_threads`.
absl::StatusOr<Client> client_from(std::string_view text, std::size_t most_threads);

// The keys that a take is about, each once.
std::vector<std::uint32_t> keys_of(const Act& act);
std::string name_of_keys(const Act& act);  // "key 0", "keys 0 and 1"

bool takes(Act::Kind kind);
bool gives(Act::Kind kind);  // what was taken

// The client without one of its threads, and without those who would await its end doing so.
Client without_thread(const Client& client, std::size_t thread);

// The position of the U or E that belongs to the take at `position`.
std::size_t end_of_hold(const std::vector<Act>& acts, std::size_t position);

struct ClientSize {
  std::uint32_t threads = 2;
  std::uint32_t keys = 2;
  std::uint32_t holds = 2;  // of each thread, nested ones not counted
  // One thread holds a key until another has ended, and nothing is nested. So whoever is forgotten
  // is forgotten for good: no later release tells him by chance. Where the suspect can bear it.
  bool awaits = false;
};

// Whether somebody can hold a key while others come to their end: they have locks of their own, or
// leases are left.
bool can_await(const Abilities& abilities);

// A client that the suspect must serve to its end, whoever goes first.
Client draw_client(const Abilities& abilities, ClientSize size, std::uint64_t seed);

// The small clients that are explored whole, simplest first: those of the line-up, then 2 threads,
// 2 keys, 2 holds each and less, in the shapes that the suspect's abilities allow, and a few of
// more threads, which do less.
std::vector<Client> clients_for(const Lineup& lineup);

}  // namespace lockbench::stress
