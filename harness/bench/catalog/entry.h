// SPDX-License-Identifier: Apache-2.0

// CatalogEntry: an entry of the catalog with its type erased, and the workloads that can run with
// it.
//
// This header is separate from catalog.h because plug-ins create entries, too, and need nothing
// else of the catalog.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/catalog/line.h"
#include "harness/bench/measure/subject.h"
#include "harness/bench/plan/cell.h"
#include "primitives/concepts.h"

namespace lockbench {

// A workload that was compiled for one primitive and one kind of key.
struct Pairing {
  std::string workload;
  KeyType key_type;
  std::function<std::unique_ptr<Subject>(const Trial&, const WorkloadSettings&, const Arguments&)>
      make;
};

// All entries that share a name and its choices. They may differ in the kind of key.
struct CatalogEntry {
  Listing listing;
  Promises promises;
  std::vector<KeyType> key_types;
  std::vector<Pairing> pairings;
  bool tokens = false;  // each hold has a fencing token
  std::string plugin;   // the plug-in's file; empty: lockbench itself
};

// Makes a primitive by its maker, and its subject.
using SubjectMaker = std::unique_ptr<Subject> (*)(const Trial&, const WorkloadSettings&,
                                                  const Arguments&, AnyMaker);

template <class P, class W>
[[gnu::cold]] std::unique_ptr<Subject> make_subject(const Trial& trial,
                                                    const WorkloadSettings& settings,
                                                    const Arguments& arguments,
                                                    AnyMaker make_primitive) {
  return std::unique_ptr<Subject>(
      new SubjectOf<P, W>(trial, settings, made_by<P>(make_primitive, arguments)));
}

// Compiled once: a separate function for each of the hundreds of pairs would take as long to
// compile as the measured loops.
inline Pairing pairing_with(std::string_view workload, KeyType key_type, SubjectMaker make,
                            AnyMaker make_primitive) {
  return {.workload = std::string(workload),
          .key_type = key_type,
          .make = [=](const Trial& trial, const WorkloadSettings& settings,
                      const Arguments& arguments) {
            return make(trial, settings, arguments, make_primitive);
          }};
}

template <class P, class W>
Pairing pairing_of(const Line<P>& line, KeyType key_type) {
  return pairing_with(W::kName, key_type, make_subject<P, W>, any_maker(line));
}

// `workloads.visit<P, K>(f)` calls f.operator()<Workload<P, K>>() for every workload.
template <class P, class Workloads>
[[gnu::cold]] CatalogEntry entry_of(const Line<P>& line, const Workloads& workloads) {
  CatalogEntry entry{.listing = line.listing, .promises = P::kPromises};
  for_each_key_type([&]<class K>() {
    if constexpr (KeyedLock<P, K>) {
      entry.key_types.push_back(kKeyTypeOf<K>);
      entry.tokens |= requires(const HandleOf<P, K>& handle) {
        handle.token();
      };
      workloads.template visit<P, K>([&]<class W>() {
        if constexpr (W::kAccepts) entry.pairings.push_back(pairing_of<P, W>(line, kKeyTypeOf<K>));
      });
    }
  });
  return entry;
}

}  // namespace lockbench
