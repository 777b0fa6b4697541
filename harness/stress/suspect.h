// SPDX-License-Identifier: Apache-2.0

// Suspect: a lock under investigation, behind virtual calls, so that the engines, the clients and
// the oracles are compiled once and not once per lock. Nothing here is measured, so the calls may
// cost what they cost.
//
// A Claim is used as the handle that it stands for (primitives/concepts.h): by the thread that made
// it, one acquisition at a time, or nested where the suspect is reentrant.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/finding.h"
#include "primitives/concepts.h"

namespace lockbench::stress {

class Claim {
 public:
  virtual ~Claim() = default;
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual bool try_lock_for(std::chrono::nanoseconds timeout) = 0;  // timed suspects only
  virtual void unlock() = 0;
  virtual std::uint32_t lease() const = 0;  // 0 where there are none
  virtual std::uint64_t token() const = 0;  // of the hold, 0 where there are none
};

class Suspect {
 public:
  virtual ~Suspect() = default;
  virtual std::unique_ptr<Claim> claim(std::uint64_t key) = 0;
  virtual std::unique_ptr<Claim> claim_both(std::uint64_t a, std::uint64_t b) = 0;  // pairs only
  virtual std::uint32_t capacity() const = 0;
  virtual std::optional<std::size_t> keys_kept() const = 0;  // absent where keys are not counted
};

// What a suspect can be asked for. Clients are drawn to fit.
struct Abilities {
  bool excludes = true;
  bool timed = false;
  bool reentrant = false;
  bool fair = false;          // first come, first served
  bool lock_per_key = false;  // different keys never wait for each other
  bool pairs = false;
  bool leases = false;         // each holder has a number of its own, below capacity
  bool tokens = false;         // each hold has a number that grows with every grant of its key
  bool reclaims = false;       // keeps nothing for a key that nobody uses
  bool nests_keys = false;     // a thread may hold two keys by two claims, taken in ascending order
  bool nests_leases = false;   // a thread that holds a lease may ask for another of its shard
  std::uint32_t capacity = 1;  // holders of a key at once that clients may count on
  std::chrono::nanoseconds hold_limit{};  // who holds longer may lose the key; 0: nobody does
  bool refuses_strangers = false;         // unlock() by a thread that does not hold has no effect
};

// A line of a line-up: a lock by name, and how one is made.
struct Lineup {
  std::string name;     // as users write it, such as `keyed` or `striped:stripes=2`
  std::string summary;  // one line: what it is, or what is wrong with it
  Abilities abilities;
  // `keys`: claims will be made for 0 to keys - 1.
  std::function<std::unique_ptr<Suspect>(std::uint64_t keys)> make;
  std::vector<std::string> clients = {};  // text of client.h: to be looked at before any other
  // Known to be broken: one of these must convict it. Empty: it must be found clean.
  std::vector<Oracle> convicted_by = {};
  std::string unseen = {};  // known to be broken, and why the engine cannot see that
};

}  // namespace lockbench::stress
