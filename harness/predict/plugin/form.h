// SPDX-License-Identifier: Apache-2.0

// The form of plug-ins for predictions (harness/plugin/offer.h): locks behind virtual calls. The
// workloads are in the program, so of an entry they have only names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/catalog/entry.h"
#include "harness/bench/catalog/line.h"
#include "harness/predict/plugin/predictable_lock.h"

namespace lockbench {

struct PredictableOffer {
  LockKind kind = LockKind::kExclusive;
  std::function<std::unique_ptr<PredictableLock>(const Arguments&)> make;
};

struct PluginForm {
  static constexpr std::uint32_t kBuiltFor = 2;
  static constexpr char kWhatIsMissing[] =
      "not built for predictions; give lockbench_add_plugin() PREDICT";

  std::vector<PredictableOffer> locks;  // one for each of the entries

  template <class P>
  void add(const Line<P>& line, std::vector<CatalogEntry>& entries) {
    CatalogEntry entry{.listing = line.listing, .promises = P::kPromises};
    for_each_key_type([&]<class K>() {
      if constexpr (KeyedLock<P, K>) {
        entry.key_types.push_back(kKeyTypeOf<K>);
        for (const std::string_view workload : predicted_workloads(lock_kind_of<P, K>())) {
          entry.pairings.push_back(
              {.workload = std::string(workload), .key_type = kKeyTypeOf<K>, .make = {}});
        }
      }
    });
    entries.push_back(std::move(entry));
    locks.push_back({.kind = lock_kind_of<P>(), .make = [make = line.make](const Arguments& with) {
                       return std::make_unique<PredictableLockOf<P>>(make(with));
                     }});
  }
};

}  // namespace lockbench
