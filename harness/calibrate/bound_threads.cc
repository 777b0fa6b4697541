// SPDX-License-Identifier: Apache-2.0

#include "harness/calibrate/bound_threads.h"

#include <thread>

#include "harness/kernel/processors.h"

namespace lockbench::calibration {

void BoundThreads::run(const std::vector<Side>& sides) {
  std::vector<std::thread> threads;
  threads.reserve(sides.size());
  for (const Side& side : sides) {
    threads.emplace_back([&side] {
      bind_to_processors(0, {side.processor});
      side.body();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace lockbench::calibration
