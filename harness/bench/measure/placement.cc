// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/placement.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "harness/base/processor_list.h"
#include "harness/bench/plan/core_pinning.h"

namespace lockbench {
namespace {

std::string numbers_of(const std::vector<Processor>& processors) {
  std::string text;
  for (const Processor& p : processors) {
    text += (text.empty() ? "" : ",") + std::to_string(p.number);
  }
  return text;
}

std::vector<Processor> fastest_first(std::vector<Processor> processors) {
  std::stable_sort(processors.begin(), processors.end(),
                   [](const Processor& a, const Processor& b) { return a.rank < b.rank; });
  return processors;
}

// One processor of each core, then the second one of each core, and so on. The second thread of a
// fast core comes after the first one of a slow core: two threads of one core get about half each.
std::vector<int> round_by_round(const std::vector<Processor>& allowed) {
  std::map<int, int> seen_of_core;
  std::vector<std::pair<int, int>> by_round;
  for (const Processor& p : fastest_first(allowed)) {
    by_round.emplace_back(seen_of_core[p.core]++, p.number);
  }
  std::stable_sort(by_round.begin(), by_round.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> order;
  for (const auto& [round, number] : by_round) order.push_back(number);
  return order;
}

std::vector<Processor> of_kind(std::string_view kind, const std::vector<Processor>& allowed) {
  std::vector<Processor> found;
  std::copy_if(allowed.begin(), allowed.end(), std::back_inserter(found),
               [&](const Processor& p) { return p.kind == kind; });
  return found;
}

// Why the usable cores do not have what the pinning names.
absl::Status no_such_cores(std::string_view pinning, const std::vector<Processor>& allowed) {
  const std::vector<std::string> kinds = kinds_among(allowed);
  const std::string text = "pinning " + std::string(pinning) + ": the usable cores are ";
  if (kinds.empty()) return absl::InvalidArgumentError(text + "of one kind; say scatter");
  std::string have;
  for (const std::string& kind : kinds) have += (have.empty() ? "" : " and ") + kind;
  return absl::InvalidArgumentError(text + have);
}

absl::StatusOr<std::vector<int>> on_one_kind(std::string_view pinning,
                                             const std::vector<Processor>& allowed) {
  const std::vector<Processor> cores = of_kind(*kind_named(pinning), allowed);
  if (cores.empty()) return no_such_cores(pinning, allowed);
  return round_by_round(cores);
}

// `mixed:2+1`
absl::StatusOr<std::vector<int>> on_several_kinds(std::string_view pinning,
                                                  const std::vector<Processor>& allowed) {
  const std::vector<std::string> kinds = kinds_among(allowed);
  const std::vector<std::uint32_t> counts = *parse_mixed(pinning);
  if (counts.size() > kinds.size()) return no_such_cores(pinning, allowed);
  std::vector<int> order;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::vector<int> cores = round_by_round(of_kind(kinds[i], allowed));
    for (std::uint32_t n = 0; n < counts[i]; ++n) order.push_back(cores[n % cores.size()]);
  }
  return order;
}

absl::StatusOr<std::vector<int>> order_for(std::string_view pinning,
                                           const std::vector<Processor>& allowed) {
  std::vector<int> in_order;
  for (const Processor& p : fastest_first(allowed)) in_order.push_back(p.number);
  if (pinning == "compact") return in_order;
  if (kind_named(pinning)) return on_one_kind(pinning, allowed);
  if (parse_mixed(pinning)) return on_several_kinds(pinning, allowed);
  if (pinning == "scatter") return round_by_round(allowed);
  if (pinning == "one-core") return std::vector<int>{in_order.front()};
  const std::optional<std::vector<int>> list = parse_processor_list(pinning);
  if (!list) {
    return absl::InvalidArgumentError("pinning '" + std::string(pinning) +
                                      "' is none of none, compact, scatter, one-core, kind:fast, "
                                      "mixed:2+2 or a list of processors like 0,2,4-7");
  }
  for (const int number : *list) {
    if (std::find(in_order.begin(), in_order.end(), number) == in_order.end()) {
      return absl::InvalidArgumentError("pinning names processor " + std::to_string(number) +
                                        "; usable are only " + numbers_of(allowed));
    }
  }
  return *list;
}

}  // namespace

std::optional<int> fastest_of(const std::vector<Processor>& allowed) {
  if (allowed.empty()) return std::nullopt;
  return fastest_first(allowed).front().number;
}

std::vector<std::string> kinds_among(const std::vector<Processor>& processors) {
  std::map<int, std::string> by_rank;
  for (const Processor& p : processors) by_rank[p.rank] = p.kind;
  std::vector<std::string> names;
  if (by_rank.size() < 2) return names;
  for (const auto& [rank, name] : by_rank) names.push_back(name);
  return names;
}

std::vector<int> ranks_of(const std::vector<int>& placed, const std::vector<Processor>& allowed) {
  std::vector<int> ranks;
  if (kinds_among(allowed).empty()) return ranks;
  for (const int number : placed) {
    const auto its = std::find_if(allowed.begin(), allowed.end(),
                                  [&](const Processor& p) { return p.number == number; });
    ranks.push_back(its == allowed.end() ? 0 : its->rank);
  }
  return ranks;
}

std::string threads_by_kind(const std::vector<int>& placed, const std::vector<Processor>& allowed) {
  std::map<int, std::string> names;
  for (const Processor& p : allowed) names[p.rank] = p.kind;
  std::map<int, int> threads;
  for (const int rank : ranks_of(placed, allowed)) ++threads[rank];
  std::string text;
  for (const auto& [rank, count] : threads) {
    text += (text.empty() ? "" : ", ") + names[rank] + " " + std::to_string(count);
  }
  return text;
}

absl::StatusOr<std::vector<int>> place_threads(std::string_view pinning, std::uint32_t threads,
                                               const std::vector<Processor>& allowed) {
  if (pinning == "none") return std::vector<int>{};
  if (allowed.empty()) return absl::UnavailableError("no processors are known");
  const absl::StatusOr<std::vector<int>> order = order_for(pinning, allowed);
  if (!order.ok()) return order.status();
  std::vector<int> placed(threads);
  for (std::uint32_t i = 0; i < threads; ++i) placed[i] = (*order)[i % order->size()];
  return placed;
}

}  // namespace lockbench
