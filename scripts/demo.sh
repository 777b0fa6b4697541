#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job, from a fresh machine to pictures. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/demo.sh

Measures the ways to lock by key on this machine and draws pictures of them:
installs the packages that are missing (Debian 12, Ubuntu 24.04 or newer; asks
for sudo only when it must), builds lockbench, runs the preset `quick`, prints a
table, draws the plots and makes a report: one page to look at. Each time in a
folder of its own below results/runs/. It takes a minute and a half once
lockbench is built. The first time, packages and the build add 2 to 8 minutes on
two cores.
TEXT
}

offer_help "${1-}"
[[ -z "${1-}" ]] || refuse "unknown argument '$1'; the only one is --help"

lockbench=build/release/lockbench
run="results/runs/demo-$(date +%Y%m%d-%H%M%S)"

stopped() {
  echo
  if [[ -d "$run" ]]; then
    echo "Stopped. What was measured is kept in $run"
  else
    echo "Stopped. Nothing was measured yet; ./scripts/demo.sh starts again where it was."
  fi
  exit "$1"
}
trap 'stopped 130' INT
trap 'stopped 143' TERM

ensure_packages "${run_packages[@]}"

say "Building $lockbench"
options=()
# The tests need packages of their own and are left out, unless this folder was configured with them.
[[ -e build/release/build.ninja ]] || options+=(-DBUILD_TESTING=OFF)
configure_preset release "${options[@]}"
cmake --build --preset release --parallel "$(nproc)" --target lockbench

say "Measuring: $lockbench run quick"
"$lockbench" run quick --out "$run"

say "Drawing"
"$lockbench" plot "$run"

say "Reporting"
"$lockbench" report "$run"

say "Where to look"
shopt -s nullglob
pictures=("$run"/*.png "$run"/*/*.png)
cat <<TEXT
  the report   $run/report.html   (one page: open it in a browser)
  pictures     ${pictures[*]:-none were drawn}
  every trial  $run/trials.csv   (columns: results/README.md)
  the machine  $run/meta.json
  next         $lockbench list presets
               $lockbench run threads
               $lockbench run --help
TEXT
