// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/weaken.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/explore/memory/order_sites.h"
#include "harness/stress/explore/search/schedule_explorer.h"
#include "harness/stress/litmus/program.h"
#include "harness/symbols/source_places.h"

namespace lockbench::stress::explore {
namespace {

using Site = OrderSites::Site;
using Clock = std::chrono::steady_clock;

// One of this many parts of the budget is used to find the operations.
constexpr int kShareToLearn = 8;
constexpr auto kLeastForATrial = std::chrono::milliseconds(20);

// One operation in the source, with all sites that inlining made of it.
struct Operation {
  SourceLocation location;
  OrderSites::Part part = OrderSites::Part::kLoad;
  std::memory_order order = std::memory_order_relaxed;
  std::vector<Site> sites;
};

struct WeakerOrder {
  const Operation* operation;
  std::memory_order order;
};

// True if the location belongs to the lock, and not to the program that tests it or to the
// simulated platform.
bool is_of_lock(const SourceLocation& location) {
  return !location.file.starts_with("harness/") &&
         !location.file.starts_with("primitives/platform/");
}

std::vector<Operation> operations_of(const OrderSites& sites) {
  std::vector<Site> all;
  std::vector<const void*> addresses;
  for (const auto& [site, order] : sites.seen()) {
    all.push_back(site);
    addresses.push_back(site.return_address);
  }
  const std::vector<SourceLocation> locations = locations_of_calls(addresses);
  using Key = std::tuple<std::string, int, std::string, OrderSites::Part, std::memory_order>;
  std::map<Key, Operation> by_line;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_of_lock(locations[i])) continue;
    const std::memory_order order = sites.seen().at(all[i]);
    // Functions on one line, for example two instances of a template, count as one operation.
    const std::string function = locations[i].line == 0 ? locations[i].function : std::string();
    Operation& operation =
        by_line[{locations[i].file, locations[i].line, function, all[i].part, order}];
    operation.location = locations[i];
    operation.part = all[i].part;
    operation.order = order;
    operation.sites.push_back(all[i]);
  }
  std::vector<Operation> operations;
  for (auto& [key, operation] : by_line) operations.push_back(std::move(operation));
  return operations;
}

std::string to_text(const WeakerOrder& weaker) {
  return absl::StrCat(to_text(weaker.operation->location), ": ", name_of(weaker.operation->part),
                      " ", name_of(weaker.operation->order), " → ", name_of(weaker.order));
}

class Trials {
 public:
  Trials(World& world, const RegisteredLock& entry, const Order& order)
      : world_(world), entry_(entry), order_(order) {}

  Outcome explore(Clock::duration budget) {
    ExploreOptions options{.budget = std::max<Clock::duration>(budget, kLeastForATrial),
                           .seed = order_.seed,
                           .most_preemptions = order_.preemptions,
                           .memory_models = {MemoryModel::kC11},
                           .makes_smaller = false};
    Outcome outcome = ScheduleExplorer(world_, entry_, options).test_lock();
    executions += outcome.executions;
    steps += outcome.steps;
    return outcome;
  }

  std::uint64_t executions = 0;
  std::uint64_t steps = 0;

 private:
  World& world_;
  const RegisteredLock& entry_;
  const Order& order_;
};

// The result of one trial as text. The line begins with the outcome, so that a reader can sort the
// lines by it.
std::string line_of(const WeakerOrder& weaker, const Outcome& outcome) {
  if (!outcome.deterministic) return absl::StrCat("undecided: ", to_text(weaker));
  if (!outcome.counterexample) return absl::StrCat("not needed here: ", to_text(weaker));
  const Counterexample& found = *outcome.counterexample;
  return absl::StrCat("needed: ", to_text(weaker), " (", std::string(name_of(found.failure.oracle)),
                      ", `", lockbench::stress::to_text(found.program), "`)");
}

}  // namespace

absl::StatusOr<Report> weaken_orders(World& world, const RegisteredLock& entry, const Order& order,
                                     const ReportProgress& report_progress) {
  const auto began = Clock::now();
  OrderSites sites;
  world.use_sites(&sites);
  Trials trials(world, entry, order);
  Report report{.engine = "sim", .lock = entry.name};
  const Outcome as_it_is = trials.explore(order.budget / kShareToLearn);
  const std::vector<Operation> operations = operations_of(sites);
  std::vector<WeakerOrder> all;
  for (const Operation& operation : operations) {
    for (const std::memory_order weaker : weaker_than(operation.part, operation.order)) {
      all.push_back({&operation, weaker});
    }
  }
  std::size_t needed = 0;
  if (as_it_is.counterexample) {
    report.verdict = Verdict::kInconclusive;
    report.remarks.push_back(absl::StrCat("fails as it is, so no order was weakened: ",
                                          as_it_is.counterexample->failure.what));
    all.clear();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto left = order.budget - (Clock::now() - began);
    sites.weaken(all[i].operation->sites, all[i].order);
    const Outcome outcome = trials.explore(left / static_cast<std::int64_t>(all.size() - i));
    needed += outcome.counterexample.has_value() ? 1 : 0;
    report.remarks.push_back(line_of(all[i], outcome));
    report_progress(absl::StrFormat("%d of %d orders tried", i + 1, all.size()));
  }
  world.use_sites(nullptr);
  report.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  report.figures = {{"executions", static_cast<double>(trials.executions)},
                    {"steps", static_cast<double>(trials.steps)},
                    {"operations", static_cast<double>(operations.size())},
                    {"orders_tried", static_cast<double>(all.size())},
                    {"orders_needed", static_cast<double>(needed)}};
  return report;
}

}  // namespace lockbench::stress::explore
