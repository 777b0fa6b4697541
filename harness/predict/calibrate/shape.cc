// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/shape.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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

}  // namespace

Shape shape_of(std::vector<Processor> processors) {
  const auto place = [](const Processor& p) { return std::tuple(p.package, p.cluster, p.core); };
  std::stable_sort(processors.begin(), processors.end(),
                   [&](const Processor& a, const Processor& b) { return place(a) < place(b); });
  std::map<int, std::set<int>> clusters;
  std::map<std::pair<int, int>, std::set<int>> cores;
  std::map<std::tuple<int, int, int>, std::set<int>> threads;
  for (const Processor& p : processors) {
    clusters[p.package].insert(p.cluster);
    cores[{p.package, p.cluster}].insert(p.core);
    threads[place(p)].insert(p.number);
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
