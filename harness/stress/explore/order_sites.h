// SPDX-License-Identifier: Apache-2.0

// OrderSites: the atomic operations of a program by their places in code, and other memory orders
// than theirs for some of them.
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
    kFailure,  // a compare-exchange that does not
    kFence,
  };

  // By the address that the access returns to, which inlining may make several of one line.
  struct Site {
    const void* return_address;
    Part part;

    bool operator==(const Site&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Site& site) {
      return H::combine(std::move(h), site.return_address, site.part);
    }
  };

  // The order of this access: its own, which is remembered, or another one.
  std::memory_order order_of(Site site, std::memory_order own) {
    seen_.try_emplace(site, own);
    const auto found = others_.find(site);
    return found != others_.end() ? found->second : own;
  }

  const absl::flat_hash_map<Site, std::memory_order>& seen() const { return seen_; }

  // From now on these sites have this order, and all others their own.
  void weaken(const std::vector<Site>& sites, std::memory_order order) {
    others_.clear();
    for (const Site& site : sites) others_[site] = order;
  }
  void weaken_none() { others_.clear(); }

 private:
  absl::flat_hash_map<Site, std::memory_order> seen_;
  absl::flat_hash_map<Site, std::memory_order> others_;
};

// The orders one level weaker, of which there may be none: both of acquire and release for acq_rel.
std::vector<std::memory_order> weaker_than(OrderSites::Part part, std::memory_order order);

std::string name_of(OrderSites::Part part);    // "load"
std::string name_of(std::memory_order order);  // "acquire"

}  // namespace lockbench::stress::explore
