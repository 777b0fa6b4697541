// SPDX-License-Identifier: Apache-2.0

// Crew: the workers of a trial, be they threads or processes.
#pragma once

#include <cstddef>
#include <functional>
#include <sched.h>
#include <string>
#include <vector>

namespace lockbench {

// Not bound: may run wherever this process may. It begins on the next processor in turn all the
// same, since the kernel likes to start two workers of one parent on one processor and to leave
// them there for 50 ms and more, while another is idle.
inline constexpr int kAnyProcessor = -1;

class Crew {
 public:
  virtual ~Crew() = default;

  // Starts a worker that runs `body`. Returns what went wrong, or an empty text.
  virtual std::string start(int processor, std::function<void()> body) = 0;

  // Waits until all have returned.
  virtual void join() = 0;

  // What became of a worker that ended otherwise than by returning; empty: of none.
  virtual std::string trouble() = 0;

  // Somebody may still be at work, and stays so when the crew is destroyed.
  virtual bool stays_behind() const = 0;
};

// Where workers begin.
class Places {
 public:
  Places();

  // What worker number `worker` begins on: `processor`, or the next in turn.
  cpu_set_t first_for(int processor, std::size_t worker) const;

  // From then on it may run on all that this process may.
  void free_caller() const;

 private:
  cpu_set_t allowed_;        // to this process
  std::vector<int> places_;  // the same, as numbers; empty where the kernel does not tell
};

}  // namespace lockbench
