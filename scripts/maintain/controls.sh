#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Locks that no engine of `stress` may fail, or that each must, tested again and again. See usage()
# below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh
source scripts/maintain/engines.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/controls.sh [--broken] [--runs N] [--seconds N] [--at-once N]
                             [--engine NAME | --plugin FILE...] [--log FILE]
                             [LOCK[/MODE]]...

Lets the engines of `lockbench stress` look into locks that are correct, N runs
each, with the seeds 1 to N, and ends with a table: how often each failed
(never, is what is to come out), or left undecided.

With --broken, into the locks that are known to be broken: how often the engine
found that, by an oracle that is expected for the fault, and after how long.

  LOCK[/MODE]    these alone, if any; with MODE, that mode alone. Unless named:
                 the correct locks beside the broken ones, `spin` on one
                 processor, then every primitive and baseline that ships; with
                 --broken, all whose fault the engine can detect
  --runs N       of each lock with each engine, 100 unless given; with --broken,
                 20
  --seconds N    that a run has, 10 unless given
  --at-once N    runs that go on at once, 4 unless given; more than there are
                 processors make false failures likelier
  --engine NAME  sim, real or proc, and no other
  --plugin FILE  the engine services, and the locks of this plug-in; name those
                 with tokens, such as `--plugin etcd.so etcd`: others lose updates
  --log FILE     keeps a line for each run, and the reports of failures in
                 FILE.reports; goes on with a FILE that is there

LOCKBENCH_BUILD names a folder with built engines; unless given, they are built
in build/release. They are copied first: it may be built anew meanwhile. Exits
with 1 when a lock failed or an engine gave no report; with --broken, when a run
did not find the fault, or another one.
TEXT
}

# number FLAG WORD: WORD, if it is a whole number above 0.
number() {
  [[ "$2" =~ ^[1-9][0-9]{0,5}$ ]] || refuse "$1 '$2'; say 1 or more"
  echo "$2"
}

broken=
runs=
seconds=10
at_once=4
engines=(real sim proc)
plugins=()
log=
wanted=()
offer_help "$@"
while (($# != 0)); do
  case "$1" in
    --broken)
      broken=yes
      shift
      ;;
    --runs | --seconds | --at-once | --engine | --plugin | --log)
      (($# > 1)) || refuse "$1 wants a value; see --help"
      case "$1" in
        --runs) runs="$(number "$1" "$2")" ;;
        --seconds) seconds="$(number "$1" "$2")" ;;
        --at-once) at_once="$(number "$1" "$2")" ;;
        --engine) engines=("$2") ;;
        --plugin) plugins+=("$2") ;;
        --log) log="$2" ;;
      esac
      shift 2
      ;;
    -*) refuse "unknown argument '$1'; see --help" ;;
    *)
      wanted+=("$1")
      shift
      ;;
  esac
done

reruns=10
if [[ -n "$broken" ]]; then
  reruns=0
  runs="${runs:-20}"
fi
runs="${runs:-100}"

[[ -z "$broken" || ${#plugins[@]} == 0 ]] ||
  refuse "--broken knows no faults of plug-ins"
((${#plugins[@]} == 0)) || engines=(services)

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
log="${log:-$folder/log}"
touch "$log" 2>/dev/null || refuse "--log: cannot write '$log'"

# run PROGRAM[:PLUGIN] WORD...: an engine, with a plug-in that was copied.
run() {
  local plugin=
  [[ "$1" != *:* ]] || plugin="$folder/${1#*:}"
  "$folder/${1%%:*}" ${plugin:+--plugin "$plugin"} "${@:2}"
}

# programs_of ENGINE: as run() takes them.
programs_of() {
  local plugin
  if [[ "$1" != services ]]; then
    printf '%s\n' "lockbench-$1-mutants" "lockbench-$1"
  else
    for plugin in "${plugins[@]}"; do echo "lockbench-services-engine:${plugin##*/}"; done
  fi
}

# locks_of PROGRAM: the names of its locks that are known to be broken, each with the oracles that
# are expected; or of the others, each with `-`.
locks_of() {
  run "$1" list | awk -F '\t' -v broken="$broken" '
    broken ? $3 != "" : $3 == "" && $4 == "" { print $1, broken ? $3 : "-" }'
}

# The named ones, or all: "engine program lock expected mode", one per line.
work_for() {
  local engine program lock expected
  for engine in "${engines[@]}"; do
    for program in $(programs_of "$engine"); do
      while read -r lock expected; do
        if ((${#wanted[@]} == 0)); then
          echo "$engine $program $lock $expected"
          [[ "$engine $lock" == "real spin" ]] && echo "$engine $program $lock $expected one_core"
        else
          printf '%s\n' "${wanted[@]}" | awk -F / -v lock="$lock $expected" \
            -v name="$lock" -v head="$engine $program" '$1 == name { print head, lock, $2 }'
        fi
      done < <(locks_of "$program")
    done
  done
}

# result_of REPORT EXPECTED: its verdict; of a broken lock that failed, whether as expected.
result_of() {
  local verdict
  verdict="$(member verdict "$1")"
  if [[ -z "$broken" || "$verdict" != failed ]]; then
    echo "${verdict:-none}"
  elif [[ ",$2," == *",$(member oracle "$1"),"* ]]; then
    echo expected
  else
    echo other
  fi
}

# look ENGINE PROGRAM LOCK EXPECTED MODE SEED: one run; its line in the log, its report if the lock
# failed. One failure of a broken lock is enough.
look() {
  local report result messages="$folder/messages-$BASHPID"
  report="$(order_for "$3" "$seconds" "$6" "$5" "$reruns" |
    run "$2" 2>"$messages" | sed -n 's/^{/{/p')" || true
  result="$(result_of "$report" "$4")"
  # One write for each line, so that lines of several processes do not mix.
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$3${5:+/$5}" "$6" "$seconds" "$result" \
    "$(number_of lock_operations "$report")" "$(member oracle "$report")" \
    "$(number_of found_after_s "$report")" "$(head -n 1 "$messages")" >>"$log"
  [[ "$result" != failed && "$result" != other ]] || printf '%s\n' "$report" >>"$log.reports"
  rm -f "$messages"
}

table() {
  if [[ -n "$broken" ]]; then table_of_broken; else table_of_correct; fi
}

table_of_correct() {
  awk -F '\t' '
    { name = sprintf("%-6s %-32s", $1, $2)
      if (!(name in of)) names[++count] = name
      ++of[name]; spent[name] += $4; held[name] += $6; ++all; ++results[name, $5]; ++total[$5] }
    END {
      form = "%s %6s %8s %12s %10s %10s %7s\n"
      printf form, sprintf("%-6s %-32s", "engine", "lock"), "runs", "seconds", "operations",
             "failed", "undecided", "no report"
      for (i = 1; i <= count; ++i) {
        n = names[i]
        printf form, n, of[n], spent[n], sprintf("%.0f", held[n]), results[n, "failed"] + 0,
               results[n, "inconclusive"] + 0, results[n, "none"] + 0
      }
      printf "%d runs: %d failed, %d undecided, %d without a report\n", all,
             total["failed"], total["inconclusive"], total["none"]
    }' "$log"
}

# Sorted by the time after which the fault was found, so that the middle one of a lock is the median.
table_of_broken() {
  sort -t $'\t' -k 1,1 -k 2,2 -k 8,8g "$log" | awk -F '\t' '
    { name = sprintf("%-6s %-32s", $1, $2)
      if (!(name in of)) names[++count] = name
      ++of[name]; ++all; ++results[name, $5]; ++total[$5]
      if ($5 == "expected") after[name, results[name, $5]] = $8
      if ($5 == "expected" || $5 == "other") {
        if (!((name, $7) in by)) oracles[name] = oracles[name] (oracles[name] ? "," : "") $7
        by[name, $7] = 1
      } }
    END {
      form = "%s %5s %6s %9s %10s %11s  %s\n"
      printf form, sprintf("%-6s %-32s", "engine", "lock"), "runs", "found", "otherwise",
             "median in s", "slowest in s", "by"
      for (i = 1; i <= count; ++i) {
        n = names[i]
        found = results[n, "expected"] + 0
        if (found >= of[n] * 19 / 20) ++enough
        printf form, n, of[n], found, results[n, "other"] + 0,
               found ? sprintf("%.3f", after[n, int((found + 1) / 2)]) : "-",
               found ? sprintf("%.3f", after[n, found]) : "-", oracles[n]
      }
      printf "%d runs: %d found as expected, %d otherwise, %d not, %d without a report;", all,
             total["expected"], total["other"], total["clean"] + total["inconclusive"],
             total["none"]
      printf " %d of %d in 19 of 20 runs or more\n", enough, count
    }'
}

# A run that is under way is not counted.
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
if [[ -z "${LOCKBENCH_BUILD-}" ]]; then
  targets=()
  for engine in "${engines[@]}"; do
    targets+=("lockbench-$engine")
    [[ "$engine" == services ]] || targets+=("lockbench-$engine-mutants")
  done
  configure_preset release
  cmake --build --preset release --parallel "$(nproc)" --target "${targets[@]}" >&2
fi
for engine in "${engines[@]}"; do
  if [[ "$engine" == services ]]; then
    cp "$build/lockbench-services-engine" "${plugins[@]}" "$folder" ||
      fail "no engine of services in $build, or no such plug-in: build \`services\` first"
    continue
  fi
  cp "$build/lockbench-$engine" "$build/lockbench-$engine-mutants" "$folder" ||
    fail "no engine '$engine' in $build; the engines are sim, real and proc: build them first"
done
mapfile -t work < <(work_for)
((${#work[@]} != 0)) ||
  fail "no engine knows a $([[ -n "$broken" ]] && echo broken || echo correct) lock of these names"
say "${#work[@]} locks and engines, $runs runs of $seconds s each, $at_once at once:" \
  "$((${#work[@]} * runs * seconds / at_once / 60 + 1)) minutes at most"

# All locks once before any twice: what is interrupted has looked into each as often as the others.
declare -A done_before
while IFS=$'\t' read -r engine lock seed _; do done_before["$engine $lock $seed"]=1; done <"$log"
told=$SECONDS
for ((seed = 1; seed <= runs; ++seed)); do
  for piece in "${work[@]}"; do
    read -r engine program lock expected mode <<<"$piece"
    [[ -z "${done_before["$engine $lock${mode:+/$mode} $seed"]-}" ]] || continue
    while (($(jobs -pr | wc -l) >= at_once)); do wait -n || true; done
    look "$engine" "$program" "$lock" "$expected" "$mode" "$seed" &
    if ((SECONDS - told >= 60)); then
      told=$SECONDS
      echo "run $seed of $runs; $(table | tail -n 1)"
    fi
  done
done
wait
say "Looked into"
table
unwanted='failed|none'
[[ -z "$broken" ]] || unwanted='clean|inconclusive|other|none'
! grep -qE $'\t'"($unwanted)"$'\t' "$log"
