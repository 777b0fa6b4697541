// SPDX-License-Identifier: Apache-2.0

// The catalog: every primitive that users can name, one line each, but for the locks between
// processes, which are in file_lines.h: what visits these lines runs threads in one process.
//
// A visitor is called with a Line<P> for each primitive type, in the order in which users see them.
// Programs that measure, test or list primitives visit the same lines. To add a primitive: its
// header, a line in the header of its family, a line in tests/primitives/primitive_list.h.
#pragma once

#include "harness/catalog/global_lines.h"
#include "harness/catalog/keyed_lines.h"
#include "harness/catalog/lease_lines.h"
#include "harness/catalog/reentrant_lines.h"
#include "harness/catalog/striped_lines.h"
