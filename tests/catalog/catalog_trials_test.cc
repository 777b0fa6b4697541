// SPDX-License-Identifier: Apache-2.0

// Every entry of the catalog carries every workload that it is paired with through a trial.
#include <cctype>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "harness/bench/measure/run_trial.h"
#include "tests/catalog/cells.h"

namespace lockbench {
namespace {

// Without a lock the race is the point, and the published table of locks races, too; at one thread
// there is no race.
std::uint32_t threads_for(const CatalogEntry& entry) {
  return entry.promises.excludes && entry.listing.name != "keyed_as_published" ? 2 : 1;
}

// These lean on libraries that were not compiled with ThreadSanitizer: absl::Mutex synchronizes
// inside one, and TBB's containers reuse memory through TBB's allocator, where it cannot see that
// one thread gave back what another got. It reports races that are none.
bool opaque_here(const std::string& name) {
#if defined(__SANITIZE_THREAD__)
  static const std::set<std::string> opaque = {
      "global:lock=absl",        "striped:case=sensitive,lock=absl",        "keyed_tbb",
      "global:lock=absl_shared", "striped:case=sensitive,lock=absl_shared", "lease_tbb"};
  return opaque.contains(name);
#else
  static_cast<void>(name);
  return false;
#endif
}

std::vector<std::string> scenarios_of(const std::string& workload) {
  for (const WorkloadListing& listing : Catalog::standard().workloads()) {
    // Two threads that ask for a second lease may wait for each other; a server is not to be had.
    if (listing.name != workload || workload == "checkout" || workload == "database") continue;
    if (listing.scenarios.empty()) continue;
    std::vector<std::string> scenarios = listing.scenarios;
    // The workload has threads without a scenario.
    if (scenarios.front() == kInProcesses) scenarios.insert(scenarios.begin(), "");
    return scenarios;
  }
  return {""};
}

// A lock of threads runs no processes.
bool runs(const CatalogEntry& entry, const std::string& scenario) {
  return scenario != kInProcesses || locks_between_processes(entry.promises);
}

void expect_valid_trial(const CatalogEntry& entry, const Pairing& pairing,
                        const std::string& scenario) {
  Trial trial{.seed = 1, .cell = cell_of(name_of(entry), pairing.workload, pairing.key_type)};
  trial.cell.workload.scenario = scenario;
  trial.cell.threads = threads_for(entry);
  trial.cell.operations = 50;
  trial.cell.sample_every = 8;
  trial.cell.stall_limit = std::chrono::seconds(60);
  const Sample sample =
      run_trial(trial, [&] { return Catalog::standard().subject_for(trial).value(); });
  EXPECT_EQ(sample.outcome, Outcome::kOk) << sample.reason;
  EXPECT_TRUE(sample.valid()) << sample.reason;
  EXPECT_EQ(sample.operations, 50u * trial.cell.threads);
}

class CatalogTrials : public ::testing::TestWithParam<CatalogEntry> {};

TEST_P(CatalogTrials, CarriesEveryWorkloadThatItIsPairedWith) {
  const CatalogEntry& entry = GetParam();
  if (opaque_here(name_of(entry))) GTEST_SKIP() << "ThreadSanitizer cannot see into its library";
  for (const Pairing& pairing : entry.pairings) {
    for (const std::string& scenario : scenarios_of(pairing.workload)) {
      if (!runs(entry, scenario)) continue;
      SCOPED_TRACE(pairing.workload + ":" + scenario + " " + to_text(pairing.key_type));
      expect_valid_trial(entry, pairing, scenario);
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<CatalogEntry>& info) {
  std::string name = name_of(info.param);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, CatalogTrials,
                         ::testing::ValuesIn(Catalog::standard().entries().begin(),
                                             Catalog::standard().entries().end()),
                         test_name);

}  // namespace

// How gtest shows an entry.
void PrintTo(const CatalogEntry& entry, std::ostream* out) {
  *out << name_of(entry);
}

}  // namespace lockbench
