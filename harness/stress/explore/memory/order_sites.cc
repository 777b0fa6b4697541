// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/memory/order_sites.h"

namespace lockbench::stress::explore {

std::vector<std::memory_order> weaker_than(OrderSites::Part part, std::memory_order order) {
  using Part = OrderSites::Part;
  switch (order) {
    case std::memory_order_seq_cst:
      if (part == Part::kLoad || part == Part::kFailure) return {std::memory_order_acquire};
      if (part == Part::kStore) return {std::memory_order_release};
      return {std::memory_order_acq_rel};
    case std::memory_order_acq_rel:
      return {std::memory_order_acquire, std::memory_order_release};
    case std::memory_order_acquire:
    case std::memory_order_consume:
    case std::memory_order_release:
      return {std::memory_order_relaxed};
    default:
      return {};
  }
}

std::string name_of(OrderSites::Part part) {
  switch (part) {
    case OrderSites::Part::kLoad:
      return "load";
    case OrderSites::Part::kStore:
      return "store";
    case OrderSites::Part::kUpdate:
      return "read-modify-write";
    case OrderSites::Part::kFailure:
      return "failed compare-exchange";
    case OrderSites::Part::kFence:
      break;
  }
  return "fence";
}

std::string name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_seq_cst:
      return "seq_cst";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_release:
      return "release";
    default:
      return "relaxed";
  }
}

}  // namespace lockbench::stress::explore
