// SPDX-License-Identifier: Apache-2.0

// DescribedTopology: hwloc's topology of a processor that is described by its kinds of cores. Its
// processors have numbers in the order of the kinds, the hardware threads of a core one after the
// other, as Linux numbers them on Core processors.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwloc.h>

#include "harness/kernel/topology.h"

namespace lockbench {

struct DescribedKind {
  std::string type;  // as hwloc says it; no types at all: hwloc knows no kinds
  int cores = 0;
  int threads = 1;  // of each core
  int mhz = 0;      // greatest frequency
};

class DescribedTopology {
 public:
  // `kinds`: the fastest first. `offline`: processors that the kernel does not use.
  explicit DescribedTopology(const std::vector<DescribedKind>& kinds,
                             const std::set<int>& offline = {}) {
    int rank = static_cast<int>(kinds.size());
    for (const DescribedKind& kind : kinds) add(kind, offline, --rank);
    const std::string text = whole();
    hwloc_topology_t raw = nullptr;
    EXPECT_EQ(hwloc_topology_init(&raw), 0);
    topology_.reset(raw);
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    const auto bytes = static_cast<int>(text.size() + 1);
    EXPECT_EQ(hwloc_topology_set_xmlbuffer(raw, text.c_str(), bytes), 0);
    EXPECT_EQ(hwloc_topology_load(raw), 0);
  }

  hwloc_topology_t get() const { return topology_.get(); }

  // Those that are not offline, ascending.
  const std::vector<int>& processors() const { return processors_; }

 private:
  void add(const DescribedKind& kind, const std::set<int>& offline, int efficiency) {
    std::vector<int> of_kind;
    for (int core = 0; core < kind.cores; ++core) {
      std::vector<int> of_core;
      std::vector<int> online;
      for (int thread = 0; thread < kind.threads; ++thread) {
        of_core.push_back(next_);
        if (!offline.contains(next_)) online.push_back(next_);
        ++next_;
      }
      if (!online.empty()) add_core(of_core, online);
      of_kind.insert(of_kind.end(), of_core.begin(), of_core.end());
    }
    all_.insert(all_.end(), of_kind.begin(), of_kind.end());
    if (kind.type.empty()) return;
    kinds_ += "<cpukind cpuset=\"" + mask(of_kind) + "\" forced_efficiency=\"" +
              std::to_string(efficiency) + "\">\n" + fact("CoreType", kind.type) +
              fact("FrequencyMaxMHz", std::to_string(kind.mhz)) + "</cpukind>\n";
  }

  void add_core(const std::vector<int>& all, const std::vector<int>& online) {
    objects_ += object("Core", cores_++, all, online);
    for (const int number : online) {
      objects_ += object("PU", number, {number}, {number}) + "</object>\n";
    }
    objects_ += "</object>\n";
    processors_.insert(processors_.end(), online.begin(), online.end());
  }

  std::string whole() const {
    // The parser that hwloc has without libxml2 reads line by line.
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
           "<topology version=\"2.0\">\n" +
           object("Machine", 0, all_, processors_,
                  " allowed_cpuset=\"" + mask(processors_) + "\" allowed_nodeset=\"0x1\"") +
           object("NUMANode", 0, all_, processors_, " local_memory=\"1073741824\"") +
           "</object>\n" + objects_ + "</object>\n" + kinds_ + "</topology>\n";
  }

  static std::string object(const char* type, int number, const std::vector<int>& all,
                            const std::vector<int>& online, const std::string& more = "") {
    return std::string("<object type=\"") + type + "\" os_index=\"" + std::to_string(number) +
           "\" cpuset=\"" + mask(online) + "\" complete_cpuset=\"" + mask(all) +
           "\" nodeset=\"0x1\" complete_nodeset=\"0x1\"" + more + ">\n";
  }

  static std::string fact(const std::string& name, const std::string& value) {
    return "<info name=\"" + name + "\" value=\"" + value + "\"/>\n";
  }

  // Of up to 32 processors.
  static std::string mask(const std::vector<int>& processors) {
    const hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (const int number : processors) hwloc_bitmap_set(set, static_cast<unsigned>(number));
    std::vector<char> text(64);
    hwloc_bitmap_snprintf(text.data(), text.size(), set);
    hwloc_bitmap_free(set);
    return text.data();
  }

  Topology topology_;
  int next_ = 0;   // processor
  int cores_ = 0;  // that have an object
  std::vector<int> all_;
  std::vector<int> processors_;
  std::string objects_;
  std::string kinds_;
};

}  // namespace lockbench
