#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What only a processor with several kinds of cores can tell. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/kinds_of_cores.sh [--out DIR]

For a machine whose cores are of several kinds, such as a Core i7 since 2021:
measures what no other machine can tell, and packs it into one archive for those
who maintain lockbench. Ten minutes once lockbench is built; close what else runs,
and plug a laptop in. Changes no setting of the machine.

  part     question
  doctor   does lockbench find the kinds, and what disturbs measurements here?
  kernel   does the kernel report the same kinds, and which frequency limits?
  speed    how fast is a core of each kind, alone and with three others? does it
           stay so, or do power and heat limit it? is it what calibration found?
  hybrid   which lock is the fastest on fast, slow and mixed cores, and under
           which do slow cores starve?
  none     the same, not bound: where does the kernel put the threads, and how
           much do equal trials differ then?
  report   one page of all three runs

  --out DIR   where to write (default: results/runs/kinds-of-cores-<time>), and
              DIR.tar.gz. The same DIR again continues what was interrupted.

Ctrl-C keeps what was measured, and packs it. The archive has the name and model
of the machine and its kernel; nothing else of yours. LOCKBENCH_BUILD names the
folder of a build to use, as build/debug.

Exit code: 0 done, 1 a part failed and the others are packed, 2 bad input, 4 the
cores of this machine are of one kind, or hwloc does not tell: nothing was measured.
TEXT
}

out="results/runs/kinds-of-cores-$(date +%Y%m%d-%H%M%S)"
offer_help "$@"
while (($# > 0)); do
  case "$1" in
    --out)
      (($# > 1)) || refuse "--out needs a folder; see --help"
      out="${2%/}"
      ;;
    *) refuse "unknown argument '$1'; see --help" ;;
  esac
  shift 2
done

build="${LOCKBENCH_BUILD-build/release}"
lockbench="$build/lockbench"
failed=()
recorder=""

stop_recorder() {
  [[ -z "$recorder" ]] || kill "$recorder" 2>/dev/null || true
  recorder=""
}

# The archive of what there is so far.
pack() {
  stop_recorder
  [[ -d "$out" ]] || return 0
  tar -czf "$out.tar.gz" -C "$(dirname "$out")" "$(basename "$out")"
  say "Packed: send this file to those who maintain lockbench"
  ls -lh "$out.tar.gz"
}

stopped() {
  printf '\nStopped. What was measured is kept; to continue: %s --out %q\n' "$0" "$out"
  pack
  exit "$1"
}
trap 'stopped 130' INT
trap 'stopped 143' TERM

build_lockbench() {
  [[ -z "${LOCKBENCH_BUILD-}" ]] || return 0
  ensure_packages "${run_packages[@]}"
  say "Building $lockbench"
  local options=()
  [[ -e build/release/build.ninja ]] || options+=(-DBUILD_TESTING=OFF)
  configure_preset release "${options[@]}"
  cmake --build --preset release --parallel "$(nproc)" --target lockbench
}

# The kinds that this process may use, the fastest first.
usable_kinds() {
  "$python" - <<'PYTHON' "$1"
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    kinds = json.load(file)["machine"].get("core_kinds", [])
print(*(kind["kind"] for kind in kinds if kind["usable_threads"]))
PYTHON
}

# part NAME WHAT COMMAND…: goes on after a failure.
part() {
  local name=$1 code=0
  say "$name: $2"
  "${@:3}" || code=$?
  ((code == 0)) || failed+=("$name: exit $code")
}

# The exit code 3 is a finding, and no failure.
examine() {
  local code=0
  "$lockbench" doctor | tee "$out/doctor.txt" || code=$?
  ((code == 0 || code == 3)) || return "$code"
}

# print_files FILE…: each with its name; what is not there is left out.
print_files() {
  local file
  for file in "$@"; do
    [[ ! -r "$file" ]] || printf '%s: %s\n' "$file" "$(tr '\0\n' '  ' <"$file" 2>/dev/null)"
  done
}

kernel_reports() (
  local cpu=/sys/devices/system/cpu
  exec >"$out/kernel.txt"
  uname -a
  lscpu --all --extended || true
  print_files /sys/devices/cpu_*/cpus $cpu/{online,possible,isolated} $cpu/intel_pstate/* \
    $cpu/cpufreq/boost $cpu/cpu[0-9]*/{cpu_capacity,topology/core_id,topology/thread_siblings_list} \
    $cpu/cpu[0-9]*/cpufreq/{cpuinfo_max_freq,scaling_max_freq,base_frequency,scaling_governor} \
    $cpu/cpu[0-9]*/cpufreq/energy_performance_preference $cpu/cpu[0-9]*/acpi_cppc/highest_perf
)

# The frequency of each processor, every two seconds until it is killed.
record_frequencies() {
  local files=(/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq)
  [[ -r "${files[0]}" ]] || return 0
  while sleep 2; do
    date +%s
    grep -H . "${files[@]}" | sed 's|.*/\(cpu[0-9]*\)/cpufreq/scaling_cur_freq:|  \1 |'
  done
}

# measure NAME ARGUMENT…: a run, or what is missing of it. No valid row is an answer, too.
measure() {
  local code=0
  if [[ -e "$out/$1/meta.json" ]]; then
    "$lockbench" run --resume "$out/$1" || code=$?
  else
    "$lockbench" run "${@:2}" --out "$out/$1" || code=$?
  fi
  ((code == 0 || code == 4)) || return "$code"
}

report() {
  local runs=() name
  for name in speed hybrid none; do
    [[ ! -e "$out/$name/trials.csv" ]] || runs+=("$out/$name")
  done
  "$lockbench" report "${runs[@]}" --out "$out/report.html"
}

build_lockbench
python="$(find_python json)"
[[ -x "$lockbench" ]] || fail "$lockbench is missing; build it, or leave LOCKBENCH_BUILD out"
found="$(mktemp)"
trap 'rm -f "$found"; stop_recorder' EXIT
"$lockbench" doctor --format json >"$found" || (($? == 3)) || fail "lockbench doctor failed"
read -ra kinds < <(usable_kinds "$found")
((${#kinds[@]} > 1)) ||
  cannot_run "lockbench finds one kind of cores here, so there is nothing to compare"

mkdir -p "$out"
cp "$found" "$out/doctor.json"
record_frequencies >>"$out/frequencies.txt" &
recorder=$!

part doctor "the kinds ${kinds[*]}, and what disturbs measurements" examine
part kernel "what the kernel reports" kernel_reports
part speed "1 of 3 runs, half a minute" measure speed --primitive keyed --key-distribution own \
  --threads 1,4 --hold 1us "${kinds[@]/#/--pinning=kind:}" --blocks 5 --window 500ms
part hybrid "2 of 3 runs, two minutes" measure hybrid hybrid
part none "3 of 3 runs, a minute" measure none hybrid --pinning none
part report "one page" report
pack
((${#failed[@]} == 0)) || fail "$(printf '%s; ' "${failed[@]}")the archive has the rest"
