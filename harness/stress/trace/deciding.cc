// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/trace/deciding.h"

#include <cstdint>
#include <map>

namespace lockbench::stress {
namespace {

bool writes(const TraceStep& step) {
  return step.act == "store" || step.act == "update" || step.act == "buffered_store";
}

// An access of a thread to a word. A store that goes into a buffer takes effect when it leaves it;
// if it never does, after all else.
struct Made {
  std::size_t position;
  std::size_t effect;
};

// Each thread's accesses, in order. Stores leave a buffer in the order in which they came.
std::map<std::int32_t, std::vector<Made>> accesses_by_thread(const std::vector<TraceStep>& steps) {
  std::map<std::int32_t, std::vector<Made>> by_thread;
  std::map<std::int32_t, std::vector<std::size_t>> buffered;  // by thread, indices in by_thread
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TraceStep& step = steps[i];
    if (!step.access || step.word.empty()) continue;
    std::vector<Made>& own = by_thread[step.thread];
    std::vector<std::size_t>& pending = buffered[step.thread];
    if (step.act == "flush") {
      if (pending.empty()) continue;  // of a store before the first step
      own[pending.front()].effect = i;
      pending.erase(pending.begin());
      continue;
    }
    const bool waits = step.act == "buffered_store";
    if (waits) pending.push_back(own.size());
    own.push_back({i, waits ? steps.size() : i});
  }
  return by_thread;
}

// An access that both executions made: where in the steps of the failing one, and when it took
// effect in each.
struct Common {
  std::size_t position;
  std::size_t failing;
  std::size_t passing;
};

std::vector<Common> common_accesses(const std::vector<TraceStep>& failing,
                                    const std::vector<TraceStep>& passing) {
  const auto others = accesses_by_thread(passing);
  std::vector<Common> common;
  for (const auto& [thread, own] : accesses_by_thread(failing)) {
    const auto found = others.find(thread);
    if (found == others.end()) continue;
    for (std::size_t i = 0; i < own.size() && i < found->second.size(); ++i) {
      const TraceStep& one = failing[own[i].position];
      const TraceStep& other = passing[found->second[i].position];
      if (one.source_line != other.source_line || one.word != other.word) break;
      common.push_back({own[i].position, own[i].effect, found->second[i].effect});
    }
  }
  return common;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> reordered(const std::vector<TraceStep>& failing,
                                                           const std::vector<TraceStep>& passing) {
  const std::vector<Common> common = common_accesses(failing, passing);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Common& first : common) {
    for (const Common& second : common) {
      const TraceStep& one = failing[first.position];
      const TraceStep& other = failing[second.position];
      const bool meet =
          one.thread != other.thread && one.word == other.word && (writes(one) || writes(other));
      if (!meet || first.failing >= second.failing || first.passing <= second.passing) continue;
      pairs.emplace_back(first.position, second.position);
    }
  }
  return pairs;
}

}  // namespace lockbench::stress
