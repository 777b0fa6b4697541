// SPDX-License-Identifier: Apache-2.0

// The catalog's entries: what they say of themselves, and what goes together.
#include "harness/bench/catalog/catalog.h"

#include <algorithm>
#include <set>

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/subjects.h"
#include "primitives/lease_pool.h"
#include "primitives/striped_lock.h"
#include "tests/catalog/cells.h"

namespace lockbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

const CatalogEntry& entry_named(const std::string& name) {
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    if (name_of(entry) == name) return entry;
  }
  ADD_FAILURE() << "no entry " << name;
  return Catalog::standard().entries().front();
}

std::set<std::string> workloads_of(const std::string& name) {
  std::set<std::string> workloads;
  for (const Pairing& pairing : entry_named(name).pairings) workloads.insert(pairing.workload);
  return workloads;
}

std::size_t lock_bytes(const std::string& primitive, const std::string& workload) {
  const Trial trial{.seed = 1, .cell = cell_of(primitive, workload)};
  return Catalog::standard().subject_for(trial).value()->lock_bytes().value();
}

TEST(Catalog, HasEveryPrimitiveThatUsersAreTold) {
  std::set<std::string> names;
  for (const CatalogEntry& entry : Catalog::standard().entries()) names.insert(entry.listing.name);
  const std::vector<std::string> told = absl::StrSplit(
      "none file file_flock file_ofd file_robust_mutex file_as_published "
      "file_unsafe_as_published global keyed striped reentrant lease keyed_table "
      "keyed_table64 keyed_tbb keyed_absl keyed_leaky striped_vector recursive_mutex "
      "lease_condvar lease_tbb lease_moodycamel lease_semaphore keyed_as_published "
      "keyed_limited keyed_shared recursive_parking striped_as_published "
      "reentrant_as_published reentrant_repaired lease_as_published "
      "random_mutexes_as_published",
      ' ');
  EXPECT_THAT(names, IsSupersetOf(told));
}

TEST(Catalog, EveryWorkloadSaysWhatItIsAndHasItsScenarios) {
  for (const WorkloadListing& workload : Catalog::standard().workloads()) {
    EXPECT_NE(workload.summary, "") << workload.name;
    EXPECT_NE(workload.needs, "") << workload.name;
    if (workload.name == "database") continue;         // its scenario needs a server
    if (workload.name == "service_counter") continue;  // its locks are in plug-ins
    for (const std::string& scenario : workload.scenarios) {
      const std::string able = scenario == kInProcesses    ? "file"
                               : workload.name == "nested" ? "reentrant"
                                                           : "lease";
      const absl::Status fits = check(cell_of(able, workload.name + ":" + scenario));
      EXPECT_TRUE(fits.ok()) << fits;
    }
  }
}

TEST(Catalog, EveryEntrySaysWhatItIs) {
  std::set<std::string> names;
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    EXPECT_TRUE(names.insert(name_of(entry)).second) << name_of(entry) << " is there twice";
    EXPECT_NE(entry.listing.summary, "") << name_of(entry);
    EXPECT_NE(entry.listing.origin, "") << name_of(entry);
    EXPECT_FALSE(entry.key_types.empty()) << name_of(entry);
    EXPECT_FALSE(entry.pairings.empty()) << name_of(entry);
    for (const Number& number : entry.listing.numbers) {
      EXPECT_LE(number.least, number.usual) << name_of(entry) << ' ' << number.parameter;
      EXPECT_LE(number.usual, number.most) << name_of(entry) << ' ' << number.parameter;
      EXPECT_NE(number.meaning, "") << name_of(entry) << ' ' << number.parameter;
    }
  }
}

// Every entry, every workload and key type: accepted exactly where the two were compiled together.
TEST(Catalog, AnEntryIsFoundByTheNameThatIsPrinted) {
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    for (const WorkloadListing& workload : Catalog::standard().workloads()) {
      for (const KeyType key_type : {KeyType::kU64, KeyType::kString}) {
        const bool paired =
            std::any_of(entry.pairings.begin(), entry.pairings.end(), [&](const Pairing& pairing) {
              return pairing.workload == workload.name && pairing.key_type == key_type;
            });
        const absl::Status status = check(cell_of(name_of(entry), workload.name, key_type));
        EXPECT_EQ(status.code(),
                  paired ? absl::StatusCode::kOk : absl::StatusCode::kFailedPrecondition)
            << name_of(entry) << ' ' << workload.name << ' ' << to_text(key_type) << ' ' << status;
      }
    }
  }
}

// A workload that is added changes none of these: they say what a kind of lock can carry and what
// it cannot.
TEST(Catalog, PairsPrimitivesWithWhatTheyCanCarry) {
  const auto carries = [](const char* primitive, const char* workload) {
    return workloads_of(primitive).contains(workload);
  };
  for (const char* const exclusive : {"keyed", "global:lock=futex", "keyed_shared", "reentrant"}) {
    EXPECT_TRUE(carries(exclusive, "counter") && carries(exclusive, "transfer")) << exclusive;
    EXPECT_FALSE(carries(exclusive, "checkout") || carries(exclusive, "file_counter")) << exclusive;
  }
  EXPECT_TRUE(carries("reentrant", "nested"));
  EXPECT_FALSE(carries("keyed", "nested"));
  EXPECT_TRUE(carries("keyed_limited", "accounts"));
  EXPECT_FALSE(carries("keyed_limited", "transfer")) << "a hold may end before its holder knows";
  EXPECT_TRUE(carries("file:form=symlink", "file_counter") && carries("none", "file_counter"));
  EXPECT_TRUE(carries("lease:nesting=refuse,order=unordered", "checkout"));
  EXPECT_FALSE(carries("lease:nesting=refuse,order=unordered", "counter"));
  EXPECT_TRUE(carries("striped:case=sensitive,lock=std_shared", "read_mostly"));
  EXPECT_FALSE(carries("striped:case=sensitive,lock=std_shared", "counter"));
}

TEST(Catalog, LinesOfOneNameAndTwoKeyTypesAreOneEntry) {
  EXPECT_THAT(entry_named("keyed").key_types,
              UnorderedElementsAre(KeyType::kU64, KeyType::kString));
  EXPECT_THAT(entry_named("lease:nesting=share,order=fifo").key_types, ElementsAre(KeyType::kU64));
}

TEST(Catalog, WhatIsLeftOutIsAsInTheFirstLineOfTheName) {
  EXPECT_TRUE(check(cell_of("striped", "counter")).ok());
  EXPECT_TRUE(check(cell_of("striped:lock=std", "counter")).ok());
  EXPECT_TRUE(check(cell_of("striped:case=insensitive", "accounts", KeyType::kString)).ok());
  EXPECT_TRUE(check(cell_of("striped:lock=adaptive,case=insensitive", "counter")).ok());
}

TEST(Catalog, NumbersReachThePrimitive) {
  EXPECT_EQ(lock_bytes("striped", "counter"), StripedLock<>(20).lock_bytes());
  EXPECT_EQ(lock_bytes("striped:stripes=64", "counter"), StripedLock<>(64).lock_bytes());
  EXPECT_EQ(lock_bytes("lease:leases=3", "checkout"), LeasePool(4, 3).lock_bytes());
  const Trial trial{.seed = 1, .cell = cell_of("lease:leases=7", "checkout")};
  EXPECT_EQ(Catalog::standard().subject_for(trial).value()->capacity(), 7u);
}

TEST(SettingsOf, SayWhatTheCellAndTheTrialSay) {
  Trial trial{.seed = 9, .cell = cell_of("lease", "checkout:second_lease")};
  trial.cell.timeout = Nanoseconds(5);
  trial.cell.hold = {.kind = Work::Kind::kTouch, .lines = 2};
  trial.cell.key_distribution = {.kind = KeyDistribution::Kind::kZipf, .theta = 2};
  const WorkloadSettings settings = settings_of(trial);
  EXPECT_EQ(settings.threads, 2u);
  EXPECT_EQ(settings.keys, 4u);
  EXPECT_EQ(settings.key_distribution, trial.cell.key_distribution);
  EXPECT_EQ(settings.hold, trial.cell.hold);
  EXPECT_EQ(settings.timeout, Nanoseconds(5));
  EXPECT_EQ(settings.operations, 1u);
  EXPECT_EQ(settings.seed, 9u);
  EXPECT_EQ(settings.scenario, "second_lease");
}

TEST(Catalog, KnowsWhatDurationsDependOn) {
  const auto traits = [](const char* primitive, const char* workload) {
    return Catalog::standard().check(cell_of(primitive, workload)).value();
  };
  EXPECT_EQ(traits("none", "counter").holders_of_a_key, 2u) << "as many as threads";
  EXPECT_EQ(traits("keyed", "counter").holders_of_a_key, 1u);
  EXPECT_EQ(traits("lease", "checkout").holders_of_a_key, LeasePool::kDefaultLeases);
  EXPECT_EQ(traits("lease_tbb:leases=3", "checkout").holders_of_a_key, 3u);
  EXPECT_TRUE(traits("global:lock=std", "counter").one_lock);
  EXPECT_FALSE(traits("striped", "counter").one_lock);
  EXPECT_EQ(traits("striped", "counter").acquisitions_per_operation, 1u);
  EXPECT_EQ(traits("reentrant", "nested").acquisitions_per_operation, 5u);
}

TEST(Catalog, WhatASweepHasByDefaultCanBeMeasured) {
  for (const WorkloadListing& workload : Catalog::standard().workloads()) {
    if (workload.name == "service_counter") continue;  // its locks are in plug-ins
    const SweepDefaults defaults = Catalog::standard().defaults_for(workload.name);
    EXPECT_FALSE(defaults.primitives.empty());
    for (const PrimitiveSpec& primitive : defaults.primitives) {
      Cell cell = cell_of("none", workload.name, defaults.key_type);
      cell.primitive = primitive;
      cell.keys = defaults.keys;
      EXPECT_TRUE(check(cell).ok()) << workload.name << ": " << check(cell);
    }
  }
  EXPECT_EQ(Catalog::standard().defaults_for("xyzzy").primitives[0].name, "global");
}

TEST(SettingsOf, TimedWorkHasNoNumberOfOperations) {
  Trial trial{.cell = cell_of("keyed", "counter")};
  trial.cell.mode = Mode::kTimed;
  EXPECT_EQ(settings_of(trial).operations, 0u);
}

}  // namespace
}  // namespace lockbench
