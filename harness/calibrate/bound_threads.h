// SPDX-License-Identifier: Apache-2.0

// BoundThreads: the loops on this machine, each thread bound to its processor.
#pragma once

#include <vector>

#include "harness/calibrate/loop_parts.h"

namespace lockbench::calibration {

class BoundThreads : public Place {
 public:
  // A thread that cannot be bound, because the cpuset has just changed, runs anywhere.
  void run(const std::vector<Side>& sides) override;
};

}  // namespace lockbench::calibration
