// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/unfairness.h"

#include <algorithm>

#include "harness/command/run/readable.h"

namespace lockbench {
namespace {

constexpr double kLeastJain = 0.8;
constexpr double kLongestWaitOfWindow = 0.1;
constexpr double kLongestWaitOfHold = 1000;
constexpr double kLeastTellingWaitNs = 10e6;
constexpr double kOrderlyQueues = 2;

double held_ns(const Cell& cell, const FairnessFigures& figures) {
  return figures.held_p50_ns.value_or(static_cast<double>(cell.hold.duration.count()));
}

// The longest wait that needs no explanation.
double bar_ns(const Cell& cell, const FairnessFigures& figures) {
  const double hold = held_ns(cell, figures);
  double bar = kLongestWaitOfWindow * 1e9 * figures.window_s.value_or(0);
  if (hold > 0) bar = std::min(bar, kLongestWaitOfHold * hold);
  return std::max({kLeastTellingWaitNs, kOrderlyQueues * cell.threads * hold, bar});
}

}  // namespace

std::string unfairness_of(const Cell& cell, const FairnessFigures& figures) {
  if (cell.mode != Mode::kTimed || cell.threads < 2) return {};
  std::string said;
  if (figures.jain && *figures.jain < kLeastJain) {
    said = "Jain " + readable_digits(*figures.jain, 2);
  }
  if (figures.wait_max_ns && *figures.wait_max_ns > bar_ns(cell, figures)) {
    said += (said.empty() ? "" : ", ") + std::string("one wait took ") +
            readable_ns(*figures.wait_max_ns);
  }
  return said;
}

}  // namespace lockbench
