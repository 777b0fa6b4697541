// SPDX-License-Identifier: Apache-2.0

// RegisteredLock: one lock of an engine's registry: its name, what it promises, and how one is
// made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::stress {

enum class Oracle : std::uint8_t;  // oracles/registry.h

struct RegisteredLock {
  std::string name;     // as users write it, such as `keyed` or `striped:stripes=2`
  std::string summary;  // one line: what it is, or what is wrong with it
  Abilities abilities;
  // Handles will be made for the keys from 0 to keys - 1.
  std::function<std::unique_ptr<LockUnderTest>(std::uint64_t keys)> make;
  // The same of instrumented code, whose accesses can be delayed. Absent where there is none.
  std::function<std::unique_ptr<LockUnderTest>(std::uint64_t keys)> make_instrumented = {};
  std::vector<std::string> programs = {};  // litmus programs to be run before any other
  // Of a lock that is known to be broken: one of these must report it. Empty: it must pass.
  std::vector<Oracle> expected_oracles = {};
  std::string unseen = {};  // known to be broken, and why this engine cannot detect that
  std::string memory = {};  // the model under which `sim` explores it unless told; empty: tso
};

}  // namespace lockbench::stress
