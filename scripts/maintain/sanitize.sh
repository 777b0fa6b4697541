#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The real engine of `stress` under ThreadSanitizer and AddressSanitizer. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh
source scripts/maintain/engines.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/sanitize.sh [SECONDS]

Builds the real engine of `lockbench stress` in the presets `tsan` and `asan`,
lets each look into every primitive of our own for SECONDS (2 unless given),
and ends with a table. Each sanitizer must fail broken locks as well, which
shows that it sees. Exits with 1 when a primitive failed, a broken lock
was not, or nothing was looked at.
TEXT
}

seconds=2
most_seconds=30  # for a broken lock, which fails long before
offer_help "${1-}"
case "${1-}" in
  "") ;;
  [1-9] | [1-9][0-9] | [1-9][0-9][0-9]) seconds="$1" ;;
  *) refuse "'$1' is no number of seconds; say 1 to 999, or --help" ;;
esac

trap 'exit 130' INT
trap 'exit 143' TERM

# x86 forgives a missing release or acquire; ThreadSanitizer does not. AddressSanitizer sees what is
# used after its life.
declare -A broken=(
  [tsan]="spin_relaxed_unlock spin_relaxed_lock"
  [asan]="table_looks_up_outside"
)

# Where the address layout may not be fixed, the sanitizers may still run: they say so if not.
fixed_layout=(setarch "$(uname -m)" -R)
"${fixed_layout[@]}" true 2>/dev/null || fixed_layout=()

own_primitives() {
  "${fixed_layout[@]}" "build/$1/lockbench-real" list | sed -n 's/^\([^\t]*\)\t[^\t]* (lockbench).*/\1/p'
}

# look PRESET PROGRAM LOCK SECONDS: prints the report, or nothing when the engine itself failed.
look() {
  order_for "$3" "$4" 1 "" 0 | "${fixed_layout[@]}" "build/$1/$2" 2>"$messages" | sed -n 's/^{/{/p'
}

# row PRESET LOCK EXPECTED REPORT: a line of the table, and whether it is as it should be.
row() {
  local verdict oracle outcome=ok
  verdict="$(member verdict "$4")"
  oracle="$(member oracle "$4")"
  if [[ "$3" == failed ]]; then
    [[ "$verdict" == failed ]] || outcome=FAILED
  else
    [[ "$verdict" == clean ]] || outcome=FAILED
  fi
  [[ "$outcome" == ok ]] || failures=$((failures + 1))
  rows+=("$(printf '%-6s %-32s %-12s %-10s %s' "$1" "$2" "${verdict:-none}" "${oracle:--}" "$outcome")")
  echo "${rows[-1]}"
  [[ "$outcome" == ok ]] || { member what "$4" && head -n 30 "$messages"; } >&2
}

messages="$(mktemp)"
trap 'rm -f "$messages"' EXIT
rows=()
failures=0

for preset in tsan asan; do
  say "Preset $preset: $seconds s for each"
  configure_preset "$preset"
  "${fixed_layout[@]}" cmake --build --preset "$preset" --parallel "$(nproc)" \
    --target lockbench-real --target lockbench-real-mutants
  mapfile -t own < <(own_primitives "$preset")
  ((${#own[@]} != 0)) || fail "lockbench-real of preset $preset lists no primitive of our own"
  for lock in "${own[@]}"; do
    row "$preset" "$lock" clean "$(look "$preset" lockbench-real "$lock" "$seconds")"
  done
  for lock in ${broken[$preset]}; do
    row "$preset" "$lock" failed \
      "$(look "$preset" lockbench-real-mutants "$lock" "$most_seconds")"
  done
done

say "Sanitized"
printf '%-6s %-32s %-12s %-10s %s\n' preset lock verdict oracle as-it-should-be
printf '%s\n' "${rows[@]}"
((failures == 0)) || fail "$failures of ${#rows[@]} are not as they should be"
