#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the Petri nets that the pages of docs/ show: docs/images/petri-* and docs/animations.
# Needs graphviz, python3 with jinja2, and a built lockbench.
#
# Usage: scripts/nets.sh [LOCKBENCH]
set -euo pipefail
cd "$(dirname "$0")/.."
lockbench=${1:-build/release/lockbench}

# An exit code of 3 is a deadlock, which is what some of the pictures show.
model() { "$lockbench" model "$@" >/dev/null || [ $? = 3 ]; }

images=docs/images
models=docs/models
model --file $models/race.pnml --trace $models/race-kept.txt --animation $images/petri-race-kept.svg
model --file $models/race.pnml --trace $models/race-lost.txt --animation $images/petri-race-lost.svg
model --file $models/mutex.pnml --animation $images/petri-mutex-cycle.svg

frames=$(mktemp --suffix .json)
trap 'rm -f "$frames"' EXIT
nested=(lease --threads 2 --leases 2 --nested)
model "${nested[@]}" --animation docs/animations/nested-leases.html
model "${nested[@]}" --animation "$frames"
python3 scripts/animation.py --last $images/petri-nested-leases.svg <"$frames"
