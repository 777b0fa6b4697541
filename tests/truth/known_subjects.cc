// SPDX-License-Identifier: Apache-2.0

#include "tests/truth/known_subjects.h"

#include <memory>
#include <string>
#include <utility>

#include "harness/bench/catalog/line.h"
#include "harness/bench/measure/subject.h"
#include "tests/truth/delayed_lock.h"
#include "tests/truth/stalling_lock.h"
#include "tests/truth/twin_lock.h"
#include "tests/truth/unfair_lock.h"
#include "workloads/counter.h"

namespace lockbench {
namespace {

// One workload and one kind of key are enough to see what these locks do, and quick to compile.
template <class P>
void add(Catalog& catalog, const Line<P>& line) {
  using Work = Counter<P, std::uint64_t>;
  CatalogEntry entry{
      .listing = line.listing, .promises = P::kPromises, .key_types = {KeyType::kU64}};
  entry.pairings.push_back(pairing_of<P, Work>(line, KeyType::kU64));
  catalog.add(std::move(entry));
}

Number milliseconds(const char* parameter, std::uint64_t usual, const char* meaning) {
  return {parameter, usual, 1, 60'000, meaning};
}

}  // namespace

void add_known_subjects(Catalog& catalog) {
  add(catalog, Line<DelayedLock>{{"delayed",
                                  "global, and a known time more for every lock()",
                                  "the truth suite",
                                  {},
                                  {{"ns", 1000, 0, 1'000'000'000, "nanoseconds more"}}},
                                 [](const Arguments& with) {
                                   return std::make_unique<DelayedLock>(Nanoseconds(with["ns"]));
                                 }});
  add(catalog, Line<StallingLock>{{"stalling",
                                   "global, and now and then its holder stands still",
                                   "the truth suite",
                                   {},
                                   {milliseconds("every_ms", 1000, "from stall to stall"),
                                    milliseconds("stall_ms", 100, "how long a stall lasts")}},
                                  [](const Arguments& with) {
                                    return std::make_unique<StallingLock>(
                                        std::chrono::milliseconds(with["every_ms"]),
                                        std::chrono::milliseconds(with["stall_ms"]));
                                  }});
  add(catalog, Line<UnfairLock>{{"unfair",
                                 "global, and whoever came first has most of the turns",
                                 "the truth suite",
                                 {},
                                 {{"share", 8, 1, 1'000'000, "turns of the first to another's 1"}}},
                                [](const Arguments& with) {
                                  return std::make_unique<UnfairLock>(with["share"]);
                                }});
  add(catalog,
      Line<TwinLock<'a'>>{{"twin_a", "global, under another name", "the truth suite"}, make_plain});
  add(catalog,
      Line<TwinLock<'b'>>{{"twin_b", "global, under a third name", "the truth suite"}, make_plain});
}

}  // namespace lockbench
