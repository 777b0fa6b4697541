// SPDX-License-Identifier: Apache-2.0

// CatalogEntry: a line of the catalog, its type erased, with the workloads that it can carry.
//
// Apart from catalog.h, since plug-ins make these, too, and need nothing else of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalog/line.h"
#include "harness/measure/subject.h"
#include "harness/plan/cell.h"
#include "primitives/concepts.h"

namespace lockbench {

// A workload compiled for a primitive and a kind of key.
struct Pairing {
  std::string workload;
  KeyType key_type;
  std::function<std::unique_ptr<Subject>(const Trial&, const WorkloadSettings&, const Arguments&)>
      make;
};

// All lines that share a name and its choices; they may differ in the kind of key.
struct CatalogEntry {
  Listing listing;
  Promises promises;
  std::vector<KeyType> key_types;
  std::vector<Pairing> pairings;
  std::string plugin;  // the file that it comes from; empty: lockbench itself
};

template <class K>
inline constexpr KeyType kKeyTypeOf =
    std::same_as<K, std::uint64_t> ? KeyType::kU64 : KeyType::kString;

// Makers of a primitive and of a subject, with the primitive's type erased.
using AnyMaker = void (*)();
using SubjectMaker = std::unique_ptr<Subject> (*)(const Trial&, const WorkloadSettings&,
                                                  const Arguments&, AnyMaker);

// `make_primitive` is the maker of a Line<P>.
template <class P, class W>
std::unique_ptr<Subject> make_subject(const Trial& trial, const WorkloadSettings& settings,
                                      const Arguments& arguments, AnyMaker make_primitive) {
  const auto make = reinterpret_cast<decltype(Line<P>::make)>(make_primitive);
  return std::unique_ptr<Subject>(new SubjectOf<P, W>(trial, settings, make(arguments)));
}

// Compiled once: hundreds of functions of their own would take as long as the loops.
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
  return pairing_with(W::kName, key_type, make_subject<P, W>,
                      reinterpret_cast<AnyMaker>(line.make));
}

// `workloads.visit<P, K>(f)` calls f.operator()<Workload<P, K>>() for every workload there is.
template <class P, class Workloads>
CatalogEntry entry_of(const Line<P>& line, const Workloads& workloads) {
  CatalogEntry entry{.listing = line.listing, .promises = P::kPromises};
  for_each_key_type([&]<class K>() {
    if constexpr (KeyedLock<P, K>) {
      entry.key_types.push_back(kKeyTypeOf<K>);
      workloads.template visit<P, K>([&]<class W>() {
        if constexpr (W::kAccepts) entry.pairings.push_back(pairing_of<P, W>(line, kKeyTypeOf<K>));
      });
    }
  });
  return entry;
}

}  // namespace lockbench
