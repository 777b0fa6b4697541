// SPDX-License-Identifier: Apache-2.0

#include "harness/calibrate/bound_threads.h"

#include <sched.h>
#include <thread>

namespace lockbench::calibration {
namespace {

void bind_to(int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  sched_setaffinity(0, sizeof only, &only);
}

}  // namespace

void BoundThreads::run(const std::vector<Side>& sides) {
  std::vector<std::thread> threads;
  threads.reserve(sides.size());
  for (const Side& side : sides) {
    threads.emplace_back([&side] {
      bind_to(side.processor);
      side.body();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace lockbench::calibration
