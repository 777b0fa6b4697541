// SPDX-License-Identifier: Apache-2.0

// Subjects: the catalog's lines, compiled with every workload that they can carry. One function a
// family, one source file each, so that they compile side by side.
#pragma once

#include <vector>

#include "harness/catalog/catalog.h"

namespace lockbench {

std::vector<WorkloadListing> workload_listings();

void add_global_subjects(Catalog& catalog);
void add_striped_subjects(Catalog& catalog);
void add_keyed_subjects(Catalog& catalog);
void add_reentrant_subjects(Catalog& catalog);
void add_lease_subjects(Catalog& catalog);
void add_file_subjects(Catalog& catalog);

}  // namespace lockbench
