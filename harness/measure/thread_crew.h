// ThreadCrew: the threads of a trial, up to some thousands.
//
// Guarantees   small stacks, so that thousands fit; a thread bound to a processor never runs
//              elsewhere, not even at its start; a start that fails says why.
// Not offered  an end to threads that do not return: a crew that is not joined is left running.
#pragma once

#include <functional>
#include <pthread.h>
#include <string>
#include <vector>

namespace lockbench {

inline constexpr int kAnyProcessor = -1;

class ThreadCrew {
 public:
  // Starts a thread that runs `body`. Returns what went wrong, or an empty text.
  std::string start(int processor, std::function<void()> body);

  // Waits until all have returned.
  void join();

  // Nobody was started, or all were joined.
  bool empty() const { return threads_.empty(); }

 private:
  std::vector<pthread_t> threads_;
};

}  // namespace lockbench
