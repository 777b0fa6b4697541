#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Locks that no engine of `stress` may fail, looked into again and again. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/prepare.sh
source scripts/engines.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/controls.sh [--runs N] [--seconds N] [--at-once N]
                             [--engine NAME] [--log FILE] [LOCK[/MODE]]...

Lets the engines of `lockbench stress` look into locks that are correct, N runs
each, with the seeds 1 to N, and ends with a table: how often each failed
(never, is what is to come out), found unfair, or left undecided.

  LOCK[/MODE]    these alone, if any; with MODE, that mode alone. Unless named:
                 the correct locks beside the broken ones, `spin` on one
                 processor, then every primitive and baseline that ships
  --runs N       of each lock with each engine, 100 unless given
  --seconds N    that a run has, 10 unless given
  --at-once N    runs that go on at once, 4 unless given; more than there are
                 processors make false failures likelier
  --engine NAME  sim, real or proc, and no other
  --log FILE     keeps a line for each run, and the reports of failures in
                 FILE.reports; goes on with a FILE that is there

LOCKBENCH_BUILD names the folder of the engines, build/release unless given.
They are copied first: it may be built anew meanwhile. Exits with 1 when a lock
failed or an engine gave no report.
TEXT
}

# number FLAG WORD: WORD, if it is a whole number above 0.
number() {
  [[ "$2" =~ ^[1-9][0-9]{0,5}$ ]] || { echo "controls.sh: $1 '$2'; say 1 or more" >&2 && exit 2; }
  echo "$2"
}

runs=100
seconds=10
at_once=4
engines=(real sim proc)
log=
wanted=()
while (($# != 0)); do
  case "$1" in
    -h | --help)
      usage
      exit
      ;;
    --runs | --seconds | --at-once | --engine | --log)
      (($# > 1)) || { echo "controls.sh: $1 wants a value; see --help" >&2 && exit 2; }
      case "$1" in
        --runs) runs="$(number "$1" "$2")" ;;
        --seconds) seconds="$(number "$1" "$2")" ;;
        --at-once) at_once="$(number "$1" "$2")" ;;
        --engine) engines=("$2") ;;
        --log) log="$2" ;;
      esac
      shift 2
      ;;
    -*)
      echo "controls.sh: unknown argument '$1'; see --help" >&2
      exit 2
      ;;
    *)
      wanted+=("$1")
      shift
      ;;
  esac
done

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
log="${log:-$folder/log}"
touch "$log"

# correct_ones PROGRAM: the names of its locks that are not known to be broken.
correct_ones() { "$folder/$1" list | awk -F '\t' '$3 == "" && $4 == "" { print $1 }'; }

# Those that were named, or all: "engine program lock mode", a line each.
work_for() {
  local engine program lock
  for engine in "${engines[@]}"; do
    for program in "lockbench-$engine-mutants" "lockbench-$engine"; do
      while read -r lock; do
        if ((${#wanted[@]} == 0)); then
          echo "$engine $program $lock"
          [[ "$engine $lock" == "real spin" ]] && echo "$engine $program $lock one_core"
        else
          printf '%s\n' "${wanted[@]}" | awk -F / -v lock="$lock" -v head="$engine $program" \
            '$1 == lock { print head, lock, $2 }'
        fi
      done < <(correct_ones "$program")
    done
  done
}

# look ENGINE PROGRAM LOCK MODE SEED: one run; its line in the log, its report if the lock failed.
look() {
  local report verdict messages="$folder/messages-$BASHPID"
  report="$(order_for "$3" "$seconds" "$5" "$4" 10 | "$folder/$2" 2>"$messages" |
    sed -n 's/^{/{/p')" || true
  verdict="$(member verdict "$report")"
  # One write for each line, so that lines of several processes do not mix.
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$3${4:+/$4}" "$5" "$seconds" "${verdict:-none}" \
    "$(number_of lock_operations "$report")" "$(head -n 1 "$messages")" >>"$log"
  [[ "$verdict" != failed ]] || printf '%s\n' "$report" >>"$log.reports"
  rm -f "$messages"
}

table() {
  awk -F '\t' '
    { name = sprintf("%-6s %-32s", $1, $2)
      if (!(name in of)) names[++count] = name
      ++of[name]; spent[name] += $4; held[name] += $6; ++all; ++verdicts[name, $5]; ++total[$5] }
    END {
      form = "%s %6s %8s %12s %10s %8s %10s %7s\n"
      printf form, sprintf("%-6s %-32s", "engine", "lock"), "runs", "seconds", "operations",
             "failed", "unfair", "undecided", "no report"
      for (i = 1; i <= count; ++i) {
        n = names[i]
        printf form, n, of[n], spent[n], sprintf("%.0f", held[n]), verdicts[n, "failed"] + 0,
               verdicts[n, "unfair"] + 0, verdicts[n, "inconclusive"] + 0, verdicts[n, "none"] + 0
      }
      printf "%d runs: %d failed, %d unfair, %d undecided, %d without a report\n", all,
             total["failed"], total["unfair"], total["inconclusive"], total["none"]
    }' "$log"
}

# What is under way is not counted.
interrupted() {
  local group groups
  groups="$(jobs -p)"
  disown -a  # the shell would tell of each that is killed
  for group in $groups; do kill -KILL -- "-$group" 2>/dev/null || true; done
  say "Interrupted"
  table
  exit "$1"
}

set -m  # each run in a process group of its own, so that all of it can be ended
trap 'interrupted 130' INT
trap 'interrupted 143' TERM

build="${LOCKBENCH_BUILD-build/release}"
for engine in "${engines[@]}"; do
  cp "$build/lockbench-$engine" "$build/lockbench-$engine-mutants" "$folder" ||
    fail "no engine '$engine' in $build; the engines are sim, real and proc: build them first"
done
mapfile -t work < <(work_for)
((${#work[@]} != 0)) || fail "no engine knows a correct lock of these names"
say "${#work[@]} locks and engines, $runs runs of $seconds s each, $at_once at once:" \
  "$((${#work[@]} * runs * seconds / at_once / 60 + 1)) minutes"

# All locks once before any twice: what is interrupted has looked into each as often as the others.
declare -A done_before
while IFS=$'\t' read -r engine lock seed _; do done_before["$engine $lock $seed"]=1; done <"$log"
told=$SECONDS
for ((seed = 1; seed <= runs; ++seed)); do
  for piece in "${work[@]}"; do
    read -r engine program lock mode <<<"$piece"
    [[ -z "${done_before["$engine $lock${mode:+/$mode} $seed"]-}" ]] || continue
    while (($(jobs -pr | wc -l) >= at_once)); do wait -n || true; done
    look "$engine" "$program" "$lock" "$mode" "$seed" &
    if ((SECONDS - told >= 60)); then
      told=$SECONDS
      echo "run $seed of $runs; $(table | tail -n 1)"
    fi
  done
done
wait
say "Looked into"
table
! grep -qE $'\t(failed|none)\t' "$log"
