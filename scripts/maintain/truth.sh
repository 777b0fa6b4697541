#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares measurements of lockbench with results that are known in advance. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/truth.sh [--only NAME]... [--markdown FILE] [--kills N]
                          [--with-quick-twice MINUTES] [--seed N] [--keep]

Measures locks of which it is known what must come out: with a known delay, a
known load, a known stall, the same lock under two names, a known unfairness; judges tables and
fits curves that were made up; and kills runs at random moments. Ends with a table of what
was promised and what was found. Up to ten minutes on a quiet machine, and a
few more to build the first time.

  --only NAME              this promise alone; may be given again. One of
                           tables, small, delay, load, loaded-delay, stall,
                           twins, slower, crowded, unfair, scalability, kills
  --markdown FILE          writes the table there, too; a file with the line
                           <!-- truth --> has it between that and
                           <!-- end of truth -->
  --kills N                SIGKILLs, in place of 1000
  --with-quick-twice MINUTES
                           also the preset `quick` twice, so far apart
  --seed N                 of everything drawn, in place of one drawn anew
  --keep                   keeps the runs, and says where

Exit code: 0 every promise was kept, 1 one was not, 2 bad input.
TEXT
}

offer_help "$@"

trap 'exit 130' INT
trap 'exit 143' TERM

# LOCKBENCH_BUILD names another folder of a finished configuration, such as build/debug.
build="${LOCKBENCH_BUILD-build/release}"

# Standard output is the table's alone.
{
  ensure_packages "${run_packages[@]}" libgtest-dev libgmock-dev
  say "Building $build/lockbench-truth"
  [[ -n "${LOCKBENCH_BUILD-}" ]] || configure_preset release -DBUILD_TESTING=ON
  cmake --build "$build" --parallel "$(nproc)" --target lockbench-truth
} >&2
python="$(find_python numpy pandas scipy)"
exec "$python" scripts/maintain/truth.py --program "$build/lockbench-truth" "$@"
