#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes again what scripts made in the tree. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/generators.sh

Runs all scripts that make files of the tree, and prints which files they wrote:
the nets, the gallery, the recording and the picture of the architecture; and the
Doxygen pages, in build/. Fails if a tracked file is then another one than before,
or if a file is new: what is committed is older than what it is made of.

LOCKBENCH_BUILD names the folder of lockbench, build/release unless given.
Exit code: 0 nothing changed, 1 something did, or a script failed.
TEXT
}

offer_help "${1-}"
[[ -z "${1-}" ]] || refuse "unknown argument '$1'; there is --help"

# How the tree differs from its commit, to the byte, and what is in no commit.
tree_state() { git diff HEAD --binary && git status --porcelain; }

build="${LOCKBENCH_BUILD-build/release}"
before="$(tree_state)"
[[ ! -e harness/petri/nets.sh ]] || ./harness/petri/nets.sh "$build/lockbench"
python3 scripts/maintain/gallery.py
python3 scripts/maintain/recording.py docs/images/advise.cast
dot -Tsvg docs/images/architecture.dot -o docs/images/architecture.svg
echo docs/images/architecture.svg
python3 scripts/maintain/pages.py
[[ "$(tree_state)" == "$before" ]] && exit
git status --short
fail "the tree is another one now; if that is right, commit what the scripts made"
