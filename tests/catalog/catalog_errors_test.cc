// SPDX-License-Identifier: Apache-2.0

// The catalog's refusals: what does not exist is InvalidArgument, what does not go together is
// FailedPrecondition; each says what was wrong and what would be right.
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/known_plugins.h"
#include "tests/catalog/cells.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;

// The message of a refusal because something of that name or value does not exist.
std::string unknown(const Cell& cell) {
  const absl::Status status = check(cell);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

// The message of a refusal because things that exist do not go together.
std::string unfit(const Cell& cell) {
  const absl::Status status = check(cell);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  return std::string(status.message());
}

TEST(CatalogErrors, AMisspeltPrimitiveGetsTheNearestOne) {
  EXPECT_EQ(unknown(cell_of("stripped", "counter")),
            "unknown primitive 'stripped'; did you mean 'striped'?");
}

TEST(CatalogErrors, APrimitiveLikeNoOtherGetsTheList) {
  EXPECT_THAT(
      unknown(cell_of("xyzzy", "counter")),
      HasSubstr("unknown primitive 'xyzzy'; there are: none, global, keyed, keyed_limited"));
}

TEST(CatalogErrors, AMisspeltParameterGetsTheNearestOne) {
  EXPECT_EQ(unknown(cell_of("striped:stripe=4", "counter")),
            "unknown striped parameter 'stripe'; did you mean 'stripes'?");
  EXPECT_EQ(unknown(cell_of("lease:x=4", "checkout")),
            "unknown lease parameter 'x'; there are: order, nesting, leases");
  EXPECT_EQ(unknown(cell_of("keyed_table64:x=4", "counter")),
            "primitive 'keyed_table64' takes no parameters");
}

TEST(CatalogErrors, AMisspeltChoiceGetsTheNearestOne) {
  EXPECT_EQ(unknown(cell_of("global:lock=tbb_spim", "counter")),
            "unknown global:lock 'tbb_spim'; did you mean 'tbb_spin'?");
  EXPECT_THAT(unknown(cell_of("global:lock=xyzzy", "counter")),
              HasSubstr("unknown global:lock 'xyzzy'; there are: absl, absl_shared, adaptive, "
                        "futex, pthread_spin, std, "));
  EXPECT_EQ(unknown(cell_of("striped:case=insensitve", "counter")),
            "unknown striped:case 'insensitve'; did you mean "
            "'insensitive'?");
}

TEST(CatalogErrors, APrimitiveMayBeInAPlugInThatIsKnown) {
  offer_known_plugins([] {
    return KnownPlugins{.plugins = {{"far_lock", "far.so"}, {"far_semaphore", "far.so", true}},
                        .remedy = {},
                        .help = {}};
  });
  EXPECT_EQ(unknown(cell_of("far_lock:nodes=3", "counter")),
            "primitive 'far_lock' is in the plug-in far.so; name it by --plugin, or leave the "
            "primitive out");
  EXPECT_EQ(unknown(cell_of("far_semaphore", "counter")),
            "primitive 'far_semaphore' is for `lockbench stress --engine services` alone");
  offer_known_plugins({});
}

TEST(CatalogErrors, ChoicesThatExistButNotTogether) {
  EXPECT_EQ(unknown(cell_of("striped:case=insensitive,lock=std", "counter")),
            "primitive 'striped:case=insensitive,lock=std': these parameters do not go together; "
            "`lockbench list primitives` shows which do");
}

TEST(CatalogErrors, NumbersOutOfRangeOrNone) {
  for (const std::string wrong :
       {"0", "16777217", "-1", "1.5", "many", "0x10", "64k", "99999999999999999999"}) {
    EXPECT_EQ(
        unknown(cell_of("striped:stripes=" + wrong, "counter")),
        "primitive 'striped': stripes=" + wrong + "; it is a whole number from 1 to 16777216");
  }
  EXPECT_EQ(unknown(cell_of("lease:leases=65537", "checkout")),
            "primitive 'lease': leases=65537; it is a whole number from 1 to 65536");
  EXPECT_TRUE(check(cell_of("striped:stripes=16777216", "counter")).ok());
}

TEST(CatalogErrors, AMisspeltWorkloadGetsTheNearestOne) {
  EXPECT_EQ(unknown(cell_of("keyed", "cuonter")),
            "unknown workload 'cuonter'; did you mean 'counter'?");
  EXPECT_EQ(unknown(cell_of("keyed", "xyzzy")),
            "unknown workload 'xyzzy'; there are: counter, accounts, read_mostly, transfer, "
            "nested, checkout, file_counter, service_counter, database");
}

TEST(CatalogErrors, OnlyAWorkloadThatReadsHasAShareOfWrites) {
  Cell cell = cell_of("keyed", "counter");
  cell.write_share = 0.1;
  EXPECT_EQ(check(cell).message(), "workload 'counter' always writes; leave writes out");
  cell = cell_of("keyed", "read_mostly");
  cell.write_share.reset();
  EXPECT_EQ(check(cell).message(),
            "workload 'read_mostly' wants writes, the share of operations that write, as 1%");
  cell = cell_of("keyed", "read_mostly");
  cell.hold = {.kind = Work::Kind::kTouch, .lines = 2};
  EXPECT_THAT(std::string(check(cell).message()), ::testing::HasSubstr("write no cache lines"));
}

TEST(CatalogErrors, AMisspeltScenarioGetsTheNearestOne) {
  EXPECT_EQ(unknown(cell_of("reentrant", "nested:mixed_lock_unlok")),
            "unknown nested scenario 'mixed_lock_unlok'; did you mean "
            "'mixed_lock_unlock'?");
  EXPECT_EQ(unknown(cell_of("lease", "checkout:xyzzy")),
            "unknown checkout scenario 'xyzzy'; there are: second_lease");
  EXPECT_EQ(unknown(cell_of("keyed", "transfer:fast")),
            "workload 'transfer' has no scenarios; it is written 'transfer'");
}

TEST(CatalogErrors, ProcessesAreForLocksBetweenThem) {
  EXPECT_EQ(unfit(cell_of("keyed", "counter:processes")),
            "primitive 'keyed' locks between threads of one process, and the workers of workload "
            "'counter:processes' are processes; take a lock between processes (file and its peers) "
            "or of a service");
  const absl::Status status = check(cell_of("file", "accounts:processes"));
  EXPECT_TRUE(status.ok()) << status;
}

TEST(CatalogErrors, AWorkloadHasProcessesIfTheUserAsks) {
  const Catalog& catalog = Catalog::standard();
  EXPECT_EQ(catalog.in_processes({"accounts", ""}).value(),
            (WorkloadSpec{"accounts", "processes"}));
  EXPECT_EQ(catalog.in_processes({"counter", "processes"}).value(),
            (WorkloadSpec{"counter", "processes"}));
  EXPECT_EQ(catalog.in_processes({"service_counter", "unchecked"}).value(),
            (WorkloadSpec{"service_counter", "unchecked"}));
  const absl::Status status = catalog.in_processes({"nested", ""}).status();
  EXPECT_EQ(status.message(),
            "the workers of workload 'nested' are threads; those with processes are counter, "
            "accounts, file_counter, service_counter");
}

TEST(CatalogErrors, AServerIsAskedForWithItsAddress) {
  unsetenv("LOCKBENCH_POSTGRES");
  EXPECT_EQ(unfit(cell_of("lease", "database:postgresql")),
            "workload 'database:postgresql' needs a server; set LOCKBENCH_POSTGRES to its address, "
            "as postgresql://user@host/name, or take 'database', which is SQLite");
  EXPECT_TRUE(check(cell_of("lease", "database")).ok());
  setenv("LOCKBENCH_POSTGRES", "postgresql://user@host/name", 1);
  const Trial trial{.cell = cell_of("lease", "database:postgresql")};
  EXPECT_TRUE(check(trial.cell).ok());
  EXPECT_EQ(settings_of(trial).server, "postgresql://user@host/name");
  unsetenv("LOCKBENCH_POSTGRES");
}

TEST(CatalogErrors, MoreConnectionsThanAnybodyHasAreRefused) {
  EXPECT_TRUE(check(cell_of("lease:leases=250", "database")).ok());
  EXPECT_EQ(unfit(cell_of("lease:leases=251", "database")),
            "workload 'database' opens a connection for each lease of each shard, 251 for each of "
            "4 keys here; take 1000 or fewer in all");
  Cell many = cell_of("lease", "database");
  many.keys = Cell::kMaxKeys;
  EXPECT_NE(unfit(many), "");
}

TEST(CatalogErrors, AWorkloadThatThePrimitiveCannotCarryIsToldWithWhatItNeedsAndWhatThereIs) {
  EXPECT_EQ(unfit(cell_of("keyed", "nested")),
            "workload 'nested' (which needs a holder that may lock again (reentrant)) does not run "
            "with primitive 'keyed', which runs with accounts, counter, read_mostly, transfer");
  EXPECT_EQ(unfit(cell_of("lease", "counter")),
            "workload 'counter' (which needs at most one holder of a key) does not run with "
            "primitive 'lease', which runs with checkout, database");
  EXPECT_EQ(unfit(cell_of("striped:lock=std_shared", "counter")),
            "workload 'counter' (which needs at most one holder of a key) does not run with "
            "primitive 'striped:lock=std_shared', which runs with read_mostly");
}

TEST(CatalogErrors, KeysThatThePrimitiveDoesNotHave) {
  EXPECT_EQ(unfit(cell_of("lease", "checkout", KeyType::kString)),
            "primitive 'lease' has no string keys; its keys are u64");
}

TEST(CatalogErrors, ATimeoutWherePrimitivesCannotTimeOut) {
  Cell cell = cell_of("global:lock=tbb_spin", "counter");
  cell.timeout = Nanoseconds(1);
  EXPECT_EQ(unfit(cell),
            "primitive 'global:lock=tbb_spin' cannot time out; leave the timeout out, or take one "
            "that can (`lockbench list primitives`)");
  cell = cell_of("keyed", "counter");
  cell.timeout = Nanoseconds(1);
  EXPECT_TRUE(check(cell).ok());
}

TEST(CatalogErrors, ATimeoutIsAcceptedExactlyWhereItIsPromised) {
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    Cell cell = cell_of(name_of(entry), entry.pairings.front().workload);
    cell.timeout = Nanoseconds(1);
    EXPECT_EQ(check(cell).ok(), entry.promises.timed) << name_of(entry);
  }
}

TEST(CatalogErrors, ATransferTakesTwoKeysAndNoTimeout) {
  Cell one_key = cell_of("keyed", "transfer");
  one_key.keys = 1;
  EXPECT_EQ(unfit(one_key),
            "workload 'transfer' moves between two keys, and there is 1; take 2 or more");

  Cell timed = cell_of("keyed", "transfer");
  timed.timeout = Nanoseconds(1);
  EXPECT_EQ(unfit(timed),
            "workload 'transfer' takes two keys at once, which cannot time out; leave the timeout "
            "out");

  Cell assigned = cell_of("keyed", "transfer");
  assigned.key_distribution = {.kind = KeyDistribution::Kind::kAssigned, .counts = {1, 1, 0, 0}};
  EXPECT_EQ(unfit(assigned),
            "workload 'transfer' takes two keys an operation; assigned counts are for workloads "
            "that take one");
}

TEST(CatalogErrors, AFileCounterCountsInOneFileUnderALockBetweenProcesses) {
  Cell four_keys = cell_of("file", "file_counter");
  four_keys.keys = 4;
  EXPECT_EQ(unfit(four_keys),
            "workload 'file_counter' counts in one file; take 1 key, or leave keys out");
  EXPECT_EQ(
      unfit(cell_of("keyed", "file_counter")),
      "workload 'file_counter' (which needs a lock between processes (file and its peers)) does "
      "not run with primitive 'keyed', which runs with accounts, counter, read_mostly, "
      "transfer");
}

TEST(CatalogErrors, WhatIsRefusedIsNotMade) {
  const Trial trial{.cell = cell_of("keyed", "nested")};
  EXPECT_EQ(Catalog::standard().subject_for(trial).status(), check(trial.cell));
}

}  // namespace
}  // namespace lockbench
