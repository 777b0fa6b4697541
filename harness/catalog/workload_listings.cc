// SPDX-License-Identifier: Apache-2.0

#include "harness/catalog/pair.h"
#include "harness/catalog/subjects.h"
#include "primitives/no_lock.h"

namespace lockbench {

std::vector<WorkloadListing> workload_listings() {
  std::vector<WorkloadListing> listings;
  // What a workload says of itself is the same for any primitive.
  EveryWorkload::visit<NoLock, std::uint64_t>([&]<class W>() {
    listings.push_back({.name = std::string(W::kName),
                        .summary = std::string(W::kSummary),
                        .needs = std::string(W::kNeeds)});
    if constexpr (requires { &W::refusal; }) listings.back().refusal = &W::refusal;
    for (const std::string_view scenario : W::kScenarios) {
      listings.back().scenarios.emplace_back(scenario);
    }
  });
  return listings;
}

}  // namespace lockbench
