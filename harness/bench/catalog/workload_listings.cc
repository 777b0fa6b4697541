// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/pair.h"
#include "harness/bench/catalog/subjects.h"
#include "harness/bench/plan/spelling.h"
#include "primitives/no_lock.h"

namespace lockbench {

std::vector<WorkloadListing> workload_listings() {
  std::vector<WorkloadListing> listings;
  // The description of a workload is the same for every primitive.
  EveryWorkload::visit<NoLock, std::uint64_t>([&]<class W>() {
    WorkloadListing& listing = listings.emplace_back();
    listing.name = W::kName;
    listing.summary = W::kSummary;
    listing.needs = W::kNeeds;
    listing.runs_processes = runs_processes<W>;
    if constexpr (requires { &W::refusal; }) listing.refusal = &W::refusal;
    if constexpr (requires { W::kAcquisitions; }) listing.acquisitions = W::kAcquisitions;
    if constexpr (requires { W::kKeysPerOperation; }) {
      listing.keys_per_operation = W::kKeysPerOperation;
    }
    if constexpr (requires { W::kUsualPrimitives; }) {
      listing.usual.primitives.clear();
      for (const std::string_view name : W::kUsualPrimitives) {
        listing.usual.primitives.push_back(parse_primitive(name).value());
      }
    }
    if constexpr (requires { W::kUsualKeys; }) listing.usual.keys = W::kUsualKeys;
    if constexpr (requires { W::kUsualKeyType; }) listing.usual.key_type = W::kUsualKeyType;
    if constexpr (requires { W::kUsualWriteShare; }) {
      listing.usual.write_share = W::kUsualWriteShare;
    }
    for (const std::string_view scenario : W::kScenarios) {
      listing.scenarios.emplace_back(scenario);
    }
  });
  return listings;
}

}  // namespace lockbench
