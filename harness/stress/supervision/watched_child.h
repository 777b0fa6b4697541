// SPDX-License-Identifier: Apache-2.0

// WatchedChild: something done in a process of its own, which is ended when its threads stand
// still.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace lockbench::stress {

struct ChildEnd {
  bool stood_still = false;  // it was ended from outside
  std::string says;          // `the process died of signal 11`; empty: it came to its own end
};

// `told` is asked in this process, for a number that changes whenever the child gets on. Must be
// called while this process has one thread. Aborts when there is no process to be had.
ChildEnd watch_child(const std::function<void()>& body, const std::function<std::uint64_t()>& told);

}  // namespace lockbench::stress
