#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks whether each source includes what it uses. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/alone.sh

Compiles each source alone in build/alone, those of the tests too, without
precompiled headers and with warnings as errors: a missing include is an error
then. Exits with 1 if a source does not compile; the others still do. It takes
twice as long as a build.
TEXT
}

offer_help "$@"
(($# == 0)) || refuse "unknown argument '$1'; there is --help"
check_cmake
cmake --preset release -B build/alone -DBUILD_TESTING=ON -DLOCKBENCH_WERROR=ON \
  -DLOCKBENCH_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
cmake --build build/alone --parallel "$(nproc)" -- -k 0
