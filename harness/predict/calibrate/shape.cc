// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/shape.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace lockbench::calibration {
namespace {

// Counts the members of each group; 0 if groups differ in it.
template <class Group, class Member>
std::uint32_t size_of_each(const std::map<Group, std::set<Member>>& groups) {
  const std::size_t size = groups.begin()->second.size();
  const bool equal = std::all_of(groups.begin(), groups.end(),
                                 [size](const auto& one) { return one.second.size() == size; });
  return equal ? static_cast<std::uint32_t>(size) : 0;
}

std::tuple<int, int, int> core_of(const Processor& p) {
  return std::tuple(p.package, p.cluster, p.core);
}

// True if a model may say how many threads the cores have: one or two, as many in each core of a
// kind, and no more in a slower kind.
bool have_regular_threads(const std::vector<machine::KindOfCores>& kinds, const Cores& cores) {
  std::size_t core = 0;
  std::size_t most = 2;
  for (const machine::KindOfCores& kind : kinds) {
    most = std::min(most, cores[core].size());
    for (std::uint32_t i = 0; i < kind.cores; ++i, ++core) {
      if (cores[core].size() != most) return false;
    }
  }
  return true;
}

// Requires processors of one kind after those of another. With `flat`, each is a core.
Shape shape_of_kinds(const std::vector<Processor>& processors, bool flat) {
  Shape shape{.regular = !flat};
  for (std::size_t i = 0; i < processors.size(); ++i) {
    const Processor& p = processors[i];
    const bool first = i == 0 || core_of(p) != core_of(processors[i - 1]);
    if (shape.kinds.empty() || shape.kinds.back().name != p.kind) {
      shape.kinds.push_back({.name = p.kind});
    }
    if (first || flat) {
      ++shape.kinds.back().cores;
      shape.cores.emplace_back();
    }
    shape.cores.back().push_back(p.number);
    shape.kinds.back().threads_per_core = static_cast<std::uint32_t>(shape.cores.back().size());
  }
  shape.cores_per_cluster = static_cast<std::uint32_t>(shape.cores.size());
  shape.threads_per_core = shape.kinds.front().threads_per_core;
  return shape;
}

}  // namespace

Shape shape_of(std::vector<Processor> processors) {
  std::stable_sort(processors.begin(), processors.end(),
                   [](const Processor& a, const Processor& b) {
                     return std::pair(a.rank, core_of(a)) < std::pair(b.rank, core_of(b));
                   });
  if (!kinds_among(processors).empty()) {
    Shape shape = shape_of_kinds(processors, false);
    if (have_regular_threads(shape.kinds, shape.cores)) return shape;
    return shape_of_kinds(processors, true);
  }
  std::map<int, std::set<int>> clusters;
  std::map<std::pair<int, int>, std::set<int>> cores;
  std::map<std::tuple<int, int, int>, std::set<int>> threads;
  for (const Processor& p : processors) {
    clusters[p.package].insert(p.cluster);
    cores[{p.package, p.cluster}].insert(p.core);
    threads[core_of(p)].insert(p.number);
  }
  Shape shape{.sockets = static_cast<std::uint32_t>(clusters.size()),
              .clusters_per_socket = size_of_each(clusters),
              .cores_per_cluster = size_of_each(cores),
              .threads_per_core = size_of_each(threads)};
  shape.regular = shape.clusters_per_socket * shape.cores_per_cluster * shape.threads_per_core != 0;
  if (!shape.regular) {
    shape = {.cores_per_cluster = static_cast<std::uint32_t>(processors.size()), .regular = false};
    for (const Processor& p : processors) shape.cores.push_back({p.number});
    return shape;
  }
  shape.cores.resize(threads.size());
  std::size_t core = 0;
  for (const Processor& p : processors) {
    if (shape.cores[core].size() == shape.threads_per_core) ++core;
    shape.cores[core].push_back(p.number);
  }
  return shape;
}

}  // namespace lockbench::calibration
