// SPDX-License-Identifier: Apache-2.0

// ProcessCrew: the processes of a trial whose primitive locks between processes.
//
// They are forked, not started anew: what they share (the primitive, the workload, the course) was
// made by their parent, which has no second thread, and the loop that they run is the compiled one
// of this trial. Starting the program again would hand over all that as text, for nothing.
//
// Guarantees   no worker outlives its crew or the process that made it; one that is killed, or that
//              an exception ends, is told of.
// Requires     a process of one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/measure/crew.h"
#include "primitives/platform/shared_array.h"

namespace lockbench {

class ProcessCrew final : public Crew {
 public:
  // `most`: how many will be started, at most.
  explicit ProcessCrew(std::uint32_t most) : last_words_(most) {}
  ~ProcessCrew() override;
  ProcessCrew(const ProcessCrew&) = delete;
  ProcessCrew& operator=(const ProcessCrew&) = delete;

  std::string start(int processor, std::function<void()> body) override;
  void join() override;
  std::string trouble() override;

  // Processes can be ended from outside.
  bool stays_behind() const override { return false; }

 private:
  using LastWords = std::array<char, 256>;  // of a worker that an exception ended

  [[noreturn]] void live(int processor, std::size_t worker, const std::function<void()>& body);
  void note_end(std::size_t worker, int status);

  const Places places_;
  platform::SharedArray<LastWords> last_words_;
  std::vector<pid_t> workers_;  // 0: it has ended
  std::string trouble_;
};

}  // namespace lockbench
