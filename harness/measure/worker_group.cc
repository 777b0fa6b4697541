// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/worker_group.h"

#include "harness/kernel/processors.h"

namespace lockbench {

StartProcessors::StartProcessors() : places_(allowed_processor_numbers()) {}

std::vector<int> StartProcessors::first_for(int processor, std::size_t worker) const {
  if (processor != kAnyProcessor) return {processor};
  if (places_.empty()) return {};
  return {places_[worker % places_.size()]};
}

void StartProcessors::free_caller() const {
  if (!places_.empty()) bind_to_processors(0, places_);
}

}  // namespace lockbench
