// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/worker_group.h"

namespace lockbench {

StartProcessors::StartProcessors() {
  CPU_ZERO(&allowed_);
  if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed_)) places_.push_back(processor);
  }
}

cpu_set_t StartProcessors::first_for(int processor, std::size_t worker) const {
  if (processor == kAnyProcessor && places_.empty()) return allowed_;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor == kAnyProcessor ? places_[worker % places_.size()] : processor, &set);
  return set;
}

void StartProcessors::free_caller() const {
  if (!places_.empty()) sched_setaffinity(0, sizeof allowed_, &allowed_);
}

}  // namespace lockbench
