// SPDX-License-Identifier: Apache-2.0

// The version of the headers, as numbers that the preprocessor compares.
//
//   #if LOCKBENCH_PRIMITIVES_MAJOR > 0 || LOCKBENCH_PRIMITIVES_MINOR >= 2
//
// docs/versioning.md says what a version promises. The build reads the project's version here.
#pragma once

#define LOCKBENCH_PRIMITIVES_MAJOR 0
#define LOCKBENCH_PRIMITIVES_MINOR 1
#define LOCKBENCH_PRIMITIVES_PATCH 0
