// ThreadCrew: the threads of a trial, up to some thousands.
//
// Guarantees   small stacks, so that thousands fit; a thread bound to a processor never runs
//              elsewhere, not even at its start; threads that are not bound start on the process's
//              processors in turn; a start that fails says why.
// Not offered  an end to threads that do not return: a crew that is not joined is left running.
#pragma once

#include <functional>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <vector>

namespace lockbench {

// Not bound: may run wherever this process may. It begins on the next processor in turn all the
// same, since the kernel likes to start two threads of one parent on one processor and to leave
// them there for 50 ms and more, while another is idle.
inline constexpr int kAnyProcessor = -1;

class ThreadCrew {
 public:
  ThreadCrew();

  // Starts a thread that runs `body`. Returns what went wrong, or an empty text.
  std::string start(int processor, std::function<void()> body);

  // Waits until all have returned.
  void join();

  // Nobody was started, or all were joined.
  bool empty() const { return threads_.empty(); }

 private:
  std::string create(const cpu_set_t& where, std::function<void()> body);

  cpu_set_t allowed_;        // to this process
  std::vector<int> places_;  // the same, as numbers; empty where the kernel does not tell
  std::vector<pthread_t> threads_;
};

}  // namespace lockbench
