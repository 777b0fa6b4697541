#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which lines no test reaches. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/coverage.sh [CTEST-REGEX [TARGET]...]

Builds the preset `debug` in build/coverage with gcov's counters, or the TARGETs
of it; runs all tests there, or those whose names match; and writes
build/coverage/coverage.html. The sums go to the standard output, of all sources
that were built. Needs gcovr. What threads do while they are measured is not
timed here: figures of such a build mean nothing.

  ./scripts/maintain/coverage.sh                               everything
  ./scripts/maintain/coverage.sh '^(plan|record)_test$' plan_test record_test    two of the programs
TEXT
}

offer_help "${1-}"

command -v gcovr >/dev/null || cannot_run "gcovr is missing; install the package gcovr"

build=build/coverage
cmake --preset debug -B "$build" -DCMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic" >/dev/null
targets=()
(($# < 2)) || targets=(--target "${@:2}")
cmake --build "$build" --parallel "$(nproc)" "${targets[@]}"
tests=()
[[ -z "${1-}" ]] || tests=(--tests-regex "$1")
# The coverage of a failed test also counts; ctest has named the test.
ctest --test-dir "$build" --parallel "$(nproc)" --timeout 600 --no-label-summary "${tests[@]}" ||
  echo "coverage.sh: some tests failed; the figures are of what ran" >&2
gcovr --root . --exclude 'tests/.*' --exclude 'build/.*' --exclude-unreachable-branches \
  --html-details "$build/coverage.html" --print-summary "$build"
echo "$build/coverage.html"
