// SPDX-License-Identifier: Apache-2.0

// OrderSites: the atomic operations of a program, identified by their addresses in the code. Some
// of them can be given other memory orders than their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

namespace lockbench::stress::explore {

class OrderSites {
 public:
  enum class Part : std::uint8_t {
    kLoad,
    kStore,
    kUpdate,   // a read-modify-write, or a compare-exchange that succeeds
    kFailure,  // a compare-exchange that fails
    kFence,
  };

  // Identified by the return address of the access. Inlining may make several of these from one
  // line.
  struct Site {
    const void* return_address;
    Part part;

    bool operator==(const Site&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Site& site) {
      return H::combine(std::move(h), site.return_address, site.part);
    }
  };

  // Returns the order that this access uses, and records its own order.
  std::memory_order order_of(Site site, std::memory_order own) {
    seen_.try_emplace(site, own);
    const auto found = others_.find(site);
    return found != others_.end() ? found->second : own;
  }

  const absl::flat_hash_map<Site, std::memory_order>& seen() const { return seen_; }

  // From now on these sites use this order, and all others their own.
  void weaken(const std::vector<Site>& sites, std::memory_order order) {
    others_.clear();
    for (const Site& site : sites) others_[site] = order;
  }

 private:
  absl::flat_hash_map<Site, std::memory_order> seen_;
  absl::flat_hash_map<Site, std::memory_order> others_;
};

// The orders that are one level weaker: both acquire and release for acq_rel; empty if there is
// none.
std::vector<std::memory_order> weaker_than(OrderSites::Part part, std::memory_order order);

std::string name_of(OrderSites::Part part);    // "load"
std::string name_of(std::memory_order order);  // "acquire"

}  // namespace lockbench::stress::explore
