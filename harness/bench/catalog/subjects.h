// SPDX-License-Identifier: Apache-2.0

// Subjects: the catalog's entries, compiled with every workload that they can run with. Each family
// has one function in a source file of its own, so that the families compile in parallel.
#pragma once

#include <vector>

#include "harness/bench/catalog/catalog.h"

namespace lockbench {

std::vector<WorkloadListing> workload_listings();

void add_global_subjects(Catalog& catalog);
void add_striped_subjects(Catalog& catalog);
void add_keyed_subjects(Catalog& catalog);
void add_shared_subjects(Catalog& catalog);
void add_reentrant_subjects(Catalog& catalog);
void add_lease_subjects(Catalog& catalog);
void add_file_subjects(Catalog& catalog);

}  // namespace lockbench
