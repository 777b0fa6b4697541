// SPDX-License-Identifier: Apache-2.0

// The catalog: one entry for every primitive that users can name. The locks between processes are
// in file_lines.h, because programs that visit these entries run threads of one process.
//
// A visitor is called with a Line<P> for each primitive type, in the order in which users see them.
// Programs that measure, test or list primitives visit the same entries. To add a primitive, add
// its header, an entry in the header of its family, and a line in
// tests/primitives/our_primitives.h.
#pragma once

#include "harness/bench/catalog/global_lines.h"
#include "harness/bench/catalog/keyed_lines.h"
#include "harness/bench/catalog/lease_lines.h"
#include "harness/bench/catalog/reentrant_lines.h"
#include "harness/bench/catalog/shared_lines.h"
#include "harness/bench/catalog/striped_lines.h"
