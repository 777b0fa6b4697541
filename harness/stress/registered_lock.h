// SPDX-License-Identifier: Apache-2.0

// RegisteredLock: one lock in an engine's registry, with its name, its promises and a factory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"
#include "primitives/concepts.h"

namespace lockbench::stress {

enum class Oracle : std::uint8_t;  // oracles/registry.h

// A parameter of a lock that users may set: `lease_ms` in `redis:lease_ms=300`.
struct LockNumber {
  std::string name;
  std::uint64_t least = 1;
  std::uint64_t most = 1;
};

// The text after the lock's name in `named`, as users write it: `lease_ms=300` in
// `redis:lease_ms=300`, and `prepare=0` in `postgresql_row:level=transaction,prepare=0`, where the
// lock's own name has a parameter. Empty: `named` is another lock, or has no parameters of this
// one.
inline std::string_view numbers_of(std::string_view lock, std::string_view named) {
  const char mark = lock.find(':') == std::string_view::npos ? ':' : ',';
  if (!named.starts_with(lock) || named.size() <= lock.size() + 1) return {};
  return named[lock.size()] == mark ? named.substr(lock.size() + 1) : std::string_view();
}

struct RegisteredLock {
  std::string name;     // as users write it, such as `keyed` or `striped:stripes=2`
  std::string summary;  // one line: what it is, or what is wrong with it
  Abilities abilities;
  // Makes a lock whose handles use the keys from 0 to keys - 1.
  std::function<std::unique_ptr<LockUnderTest>(std::uint64_t keys)> make;
  // Makes the same lock from instrumented code, so that its accesses can be delayed. Empty if there
  // is no instrumented code.
  std::function<std::unique_ptr<LockUnderTest>(std::uint64_t keys)> make_instrumented = {};
  std::vector<std::string> programs = {};  // litmus programs that run before all others
  // For a lock that is known to be broken: one of these oracles must report it. Empty: the lock
  // must pass.
  std::vector<Oracle> expected_oracles = {};
  std::string unseen = {};  // if it is known to be broken: why this engine cannot detect it
  std::string memory = {};  // memory models of `sim` for this lock; empty: tso and c11
  // For a lock whose scope is kService: its service, how many of its servers it needs, and after
  // which time a hold that is not renewed ends; 0: it lasts as long as the holder's connection.
  std::string service = {};
  std::uint32_t servers = 1;
  std::chrono::milliseconds lease{};
  // The parameters that users may set, and the same lock with values for some of them. Locks of
  // services have these; of others, the engines choose the parameters.
  std::vector<LockNumber> numbers = {};
  std::function<RegisteredLock(const std::map<std::string, std::uint64_t>& given)> with_numbers =
      {};
};

}  // namespace lockbench::stress
