// SPDX-License-Identifier: Apache-2.0

// The catalog's entries for locks that have one lock for each key.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "harness/bench/catalog/line.h"
#include "primitives/as_published/keyed_as_published.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/peers/keyed_absl.h"
#include "primitives/peers/keyed_table.h"
#include "primitives/peers/keyed_tbb.h"

namespace lockbench {

template <class K>
std::unique_ptr<KeyedAsPublished<K>> make_published(const Arguments& with) {
  return std::make_unique<KeyedAsPublished<K>>(std::chrono::milliseconds(with["timeout_ms"]));
}

// `keys`: whether the table contains all keys from the start, so that no thread adds one during the
// run.
inline Listing keyed_as_published_listing(const char* keys) {
  return {"keyed_as_published",
          "a table that races and leaks; a watchdog releases what is held too long",
          "a tutorial in Python",
          {{"keys", keys}},
          {{"timeout_ms", 5000, 0, 3'600'000, "until the watchdog releases; 0: no watchdog"}}};
}

template <class Visit>
void visit_keyed(Visit visit) {
  for_each_key_type([&]<class K>() {
    visit(Line<KeyedMutex<K>>{
        {"keyed",
         "a mutex for every key in use, nothing for the others",
         "lockbench",
         {},
         {{"buckets", KeyedMutex<K>::kDefaultBuckets, 1, 1 << 24, "buckets of the table"}}},
        [](const Arguments& with) { return std::make_unique<KeyedMutex<K>>(with["buckets"]); }});
    visit(Line<KeyedLimited<K>>{
        {"keyed_limited",
         "the same, and who holds too long while others wait loses the key",
         "lockbench",
         {},
         {{"hold_limit_ms", 5000, 1, 3'600'000, "until a waiter gets the key"},
          {"buckets", KeyedLimited<K>::kDefaultBuckets, 1, 1 << 24, "buckets of the table"}}},
        [](const Arguments& with) {
          const std::chrono::milliseconds limit(with["hold_limit_ms"]);
          return std::make_unique<KeyedLimited<K>>(limit, with["buckets"]);
        }});
    visit(Line<KeyedTable<K>>{{"keyed_table",
                               "a mutex around std::unordered_map with reference counts",
                               "C++ library",
                               {{"lock", "std"}},
                               {}},
                              make_plain});
    visit(Line<KeyedTableSharded<K>>{{"keyed_table64", "64 shards of keyed_table", "C++ library"},
                                     make_plain});
    visit(Line<KeyedAbsl<K>>{
        {"keyed_absl", "64 shards of an Abseil map with reference counts", "Abseil"}, make_plain});
    visit(Line<KeyedTbb<K>>{
        {"keyed_tbb", "tbb::concurrent_hash_map, its accessors held as locks", "oneTBB"},
        make_plain});
    visit(Line<KeyedLeaky<K>>{
        {"keyed_leaky", "64 shards of a table that never forgets a key", "C++ library"},
        make_plain});
    visit(Line<KeyedAsPublished<K>>{keyed_as_published_listing("new"), make_published<K>});
  });
  visit(Line<KeyedAsPublished<>>{keyed_as_published_listing("known"), [](const Arguments& with) {
                                   auto keyed = make_published<std::uint64_t>(with);
                                   for (std::uint64_t k = 0; k < with.keys; ++k) keyed->know(k);
                                   return keyed;
                                 }});
}

}  // namespace lockbench
