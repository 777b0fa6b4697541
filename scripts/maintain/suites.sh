#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All suites, one after the other. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/suites.sh [--list] [SUITE]...

Runs each SUITE (all unless given), one after the other, whether or not the one
before it passed, and ends with a table: passed, failed, or left out and why, and
the minutes of each. What a suite prints is in build/suites/SUITE.log. Suites that
measure need a quiet machine. All of them take a night: CONTRIBUTING.md says what
each shows, how long it takes and which packages it needs.

  --list   the suites in their order, with their commands

Exit code: 0 all passed, 1 one failed, 2 bad input, 4 none failed, but one was
left out. A suite is left out if it ends with 4: this machine lacks what it needs.
TEXT
}

# In the order of the night: later ones use what the first one installs and builds.
suites=(long alone modules truth controls broken sanitize generators tidy fuzz aarch64 systems coverage bare)
declare -A command_of=(
  [long]="./scripts/test.sh --long"
  [alone]="./scripts/maintain/alone.sh"
  [modules]="./scripts/maintain/modules.sh all"
  [truth]="./scripts/maintain/truth.sh"
  [controls]="./scripts/maintain/controls.sh --runs 5"
  [broken]="./scripts/maintain/controls.sh --broken --runs 2"
  [sanitize]="./scripts/maintain/sanitize.sh"
  [generators]="./scripts/maintain/generators.sh"
  [tidy]="python3 scripts/maintain/tidy.py --all"
  [fuzz]="./scripts/maintain/fuzz.sh"
  [aarch64]="./scripts/maintain/aarch64.sh"
  [systems]="./scripts/maintain/systems.sh"
  [coverage]="./scripts/maintain/coverage.sh"
  [bare]="./scripts/maintain/bare.sh"
)

rows=()
failed=0
left_out=0

run_suite() {
  local name=$1 log=build/suites/$1.log begun=$SECONDS code=0 command
  say "$name: ${command_of[$name]}"
  read -ra command <<<"${command_of[$name]}"
  "${command[@]}" >"$log" 2>&1 || code=$?
  local minutes=$(((SECONDS - begun + 30) / 60)) result=passed
  if ((code == 4)); then
    left_out=$((left_out + 1))
    result="left out: $(tail -n 1 "$log")"
  elif ((code != 0)); then
    failed=$((failed + 1))
    result="failed: exit $code, $log"
    tail -n 5 "$log"
  fi
  rows+=("$(printf '%-12s %8d  %s' "$name" "$minutes" "$result")")
}

# end CODE: also if it is interrupted, what ended before is told.
end() {
  say Suites
  printf '%-12s %8s  %s\n' suite minutes result
  printf '%s\n' "${rows[@]}"
  exit "$1"
}

wanted=()
offer_help "$@"
for word in "$@"; do
  case "$word" in
    --list)
      for name in "${suites[@]}"; do printf '%-12s %s\n' "$name" "${command_of[$name]}"; done
      exit
      ;;
    *)
      [[ " ${suites[*]} " == *" $word "* ]] ||
        refuse "unknown suite '$word'; there are --list, --help and ${suites[*]}"
      wanted+=("$word")
      ;;
  esac
done
((${#wanted[@]} != 0)) || wanted=("${suites[@]}")

trap 'end 130' INT
trap 'end 143' TERM
mkdir -p build/suites
for name in "${wanted[@]}"; do run_suite "$name"; done
((failed == 0)) || end 1
((left_out == 0)) || end 4
end 0
