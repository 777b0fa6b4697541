// SPDX-License-Identifier: Apache-2.0

// LockLimits: what a lock has room for, if its author documents that. Beyond it the lock may do
// anything, so the engines stay within it. 0 is no limit.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lockbench {

struct LockLimits {
  // How many threads or processes may hold or request it at once. One more may have used it
  // before: the one that made it.
  std::uint32_t threads = 0;
  std::uint32_t keys = 0;            // how many different keys may be held or requested at once
  std::uint32_t keys_of_thread = 0;  // how many different keys one thread may hold at once
  std::uint64_t keys_below = 0;      // each key is a number below this
  // Of a lock whose keys are names: they are words. None is empty, none has a zero byte, and no two
  // differ only in case, in blanks at the end or in zeros at the beginning.
  bool plain_names = false;
  // Of a lock between processes: no process is killed while it holds or requests the lock.
  bool no_kills = false;

  constexpr bool operator==(const LockLimits&) const = default;
  constexpr bool any() const { return *this != LockLimits(); }

  // Whether a test is possible within them: two threads can meet, and there is a second key that
  // nobody uses.
  constexpr bool leave_room() const { return threads != 1 && keys_below != 1; }
};

// `wanted`, or the limit if that is less.
template <class T>
constexpr T within(T wanted, T limit) {
  return limit == 0 ? wanted : std::min(wanted, limit);
}

}  // namespace lockbench
