// SPDX-License-Identifier: Apache-2.0

// Catalog: primitives and workloads by name, and which of them go together.
//
// Guarantees   what check() accepts, subject_for() makes; what it refuses, it refuses with what was
//              wrong and what would be right.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/catalog/entry.h"
#include "harness/measure/subject.h"
#include "harness/plan/cell.h"
#include "harness/plan/limits.h"
#include "harness/plan/preset.h"

namespace lockbench {

struct WorkloadListing {
  std::string name;
  std::string summary;
  std::string needs;                   // of the primitive, for people
  std::vector<std::string> scenarios;  // what may follow the colon
  std::uint32_t acquisitions = 1;      // of one operation
  SweepDefaults usual;

  // Why it cannot run with these settings, and what would be right; empty: it can. `holders`: how
  // many may hold one key at once.
  std::string (*refusal)(const WorkloadSettings& settings, std::uint64_t holders) = nullptr;
};

class Catalog {
 public:
  // Every primitive and workload of this program. Made at the first call.
  static const Catalog& standard();

  // The same, for a program that adds lines of its own: in main(), before the first lookup.
  static Catalog& standard_for_extension();

  std::span<const CatalogEntry> entries() const { return entries_; }
  std::span<const WorkloadListing> workloads() const { return workloads_; }

  // Whether the cell's primitive, workload and parameters exist (InvalidArgument) and go together
  // (FailedPrecondition).
  absl::StatusOr<CellTraits> check(const Cell& cell) const;

  // For the workload of that name, and for an unknown one: what a sweep has where the user gives
  // nothing.
  SweepDefaults defaults_for(const std::string& workload) const;

  // Makes the primitive and the workload of a trial whose cell passes check().
  absl::StatusOr<std::unique_ptr<Subject>> subject_for(const Trial& trial) const;

  // Adds it behind those of its name.
  void add(CatalogEntry entry);

  // The same for what a plug-in brings. AlreadyExists when there is one of its name and choices, or
  // of its name and other parameters.
  absl::Status add_from_plugin(CatalogEntry entry);

  // The file of the plug-in that the primitive comes from; empty: lockbench itself, or nowhere.
  std::string plugin_of(const PrimitiveSpec& primitive) const;

 private:
  absl::StatusOr<const CatalogEntry*> find_entry(const PrimitiveSpec& spec) const;
  absl::StatusOr<const WorkloadListing*> find_workload(const WorkloadSpec& spec) const;
  absl::StatusOr<const Pairing*> find_pairing(const Cell& cell) const;

  std::vector<CatalogEntry> entries_;
  std::vector<WorkloadListing> workloads_;
};

// What the workload is asked to do in this trial.
WorkloadSettings settings_of(const Trial& trial);

}  // namespace lockbench
