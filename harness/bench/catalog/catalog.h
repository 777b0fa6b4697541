// SPDX-License-Identifier: Apache-2.0

// Catalog: primitives and workloads by name, and which of them can be combined.
//
// Guarantees   subject_for() can make everything that check() accepts. If check() refuses a cell,
//              the error says what is wrong and what would be right.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/catalog/entry.h"
#include "harness/bench/measure/subject.h"
#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/preset.h"

namespace lockbench {

struct WorkloadListing {
  std::string name;
  std::string summary;
  std::string needs;                     // what the primitive must support, for messages
  std::vector<std::string> scenarios;    // the words that may follow the colon
  std::uint32_t acquisitions = 1;        // of one operation
  std::uint32_t keys_per_operation = 1;  // held at the same time
  SweepDefaults usual;

  // Why the workload cannot run with these settings, and what would be right; empty if it can.
  // `holders`: how many threads may hold one key at once.
  std::string (*refusal)(const WorkloadSettings& settings, std::uint64_t holders) = nullptr;

  // True if its workers are processes with these settings.
  bool (*runs_processes)(const WorkloadSettings& settings) = nullptr;
};

// The service that a primitive needs beside this program.
struct ServiceNeed {
  std::string service;        // empty: nothing
  std::uint64_t servers = 1;  // of that service
};

class Catalog {
 public:
  // All primitives and workloads of this program. They are created at the first call.
  static const Catalog& standard();

  // The same catalog, for a program that adds its own entries: call it in main(), before the first
  // lookup.
  static Catalog& standard_for_extension();

  std::span<const CatalogEntry> entries() const { return entries_; }
  std::span<const WorkloadListing> workloads() const { return workloads_; }

  // Checks whether the cell's primitive, workload and parameters exist (else InvalidArgument) and
  // can be combined (else FailedPrecondition).
  absl::StatusOr<CellTraits> check(const Cell& cell) const;

  // The values that a sweep of the workload has if the user gives none. An unknown workload gets
  // general defaults.
  SweepDefaults defaults_for(const std::string& workload) const;

  // The workload with processes as its workers. FailedPrecondition if its workers are threads.
  absl::StatusOr<WorkloadSpec> in_processes(const WorkloadSpec& workload) const;

  // Makes the primitive and the workload of a trial whose cell passes check().
  absl::StatusOr<std::unique_ptr<Subject>> subject_for(const Trial& trial) const;

  // The primitive with a value for each of its parameters: those that the user omitted have their
  // defaults.
  absl::StatusOr<PrimitiveSpec> with_defaults(const PrimitiveSpec& spec) const;

  // Adds the entry after the last one with its name.
  void add(CatalogEntry entry);

  // The same for an entry of a plug-in. AlreadyExists if there is an entry with the same name and
  // the same choices, or with the same name and other parameters.
  absl::Status add_from_plugin(CatalogEntry entry);

  // The file of the plug-in that contains the primitive; empty if lockbench itself contains it or
  // if it does not exist.
  std::string plugin_of(const PrimitiveSpec& primitive) const;

  // The files of all plug-ins, each once.
  std::vector<std::string> plugins() const;

  // The service that the primitive needs; none if the primitive does not exist.
  ServiceNeed service_of(const PrimitiveSpec& primitive) const;

 private:
  absl::StatusOr<const CatalogEntry*> find_entry(const PrimitiveSpec& spec) const;
  absl::StatusOr<const WorkloadListing*> find_workload(const WorkloadSpec& spec) const;
  absl::StatusOr<const Pairing*> find_pairing(const Cell& cell) const;

  std::vector<CatalogEntry> entries_;
  std::vector<WorkloadListing> workloads_;
};

// The settings that the workload of this trial runs with.
WorkloadSettings settings_of(const Trial& trial);

}  // namespace lockbench
