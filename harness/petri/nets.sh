#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the Petri nets that the pages of docs/ show, docs/images/petri-* and harness/petri/animations, and
# prints the name of each file that it wrote. The same nets give the same bytes.
# Needs graphviz, python3 with jinja2, and a built lockbench.
#
# Usage: harness/petri/nets.sh [LOCKBENCH]
set -euo pipefail
cd "$(dirname "$0")/../.."
lockbench=${1:-build/release/lockbench}

# draw FILE OPTION…: an exit code of 3 is a deadlock, which is what some of the pictures show.
draw() {
  "$lockbench" model "${@:2}" --animation "$1" >/dev/null || [ $? = 3 ]
}

images=docs/images
models=harness/petri/models
draw_and_say() {
  draw "$@"
  echo "$1"
}

draw_and_say $images/petri-race-kept.svg --file $models/race.pnml --trace $models/race-kept.txt
draw_and_say $images/petri-race-lost.svg --file $models/race.pnml --trace $models/race-lost.txt
draw_and_say $images/petri-mutex-cycle.svg --file $models/mutex.pnml

frames=$(mktemp --suffix .json)
trap 'rm -f "$frames"' EXIT
nested=(lease --threads 2 --leases 2 --nested)
draw_and_say harness/petri/animations/nested-leases.html "${nested[@]}"
draw "$frames" "${nested[@]}"
python3 harness/petri/python/animation.py --last $images/petri-nested-leases.svg <"$frames"
echo $images/petri-nested-leases.svg
