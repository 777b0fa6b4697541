# SPDX-License-Identifier: Apache-2.0
# LOCKBENCH_VERSION: the project's version, which primitives/version.h has.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../primitives/version.h numbers
     REGEX "^#define LOCKBENCH_PRIMITIVES_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM numbers REPLACE "^.* " "")
list(JOIN numbers . LOCKBENCH_VERSION)
