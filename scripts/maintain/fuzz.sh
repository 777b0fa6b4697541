#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The parsers under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/fuzz.sh [--seconds N] [TARGET]...

Builds the targets of tests/fuzz with clang 16 or newer in build/fuzz, runs each
TARGET (all unless given) for N seconds (60 unless given) and ends with a table.
What a target has found to be new is kept in build/fuzz/corpus/TARGET, so that
the next run goes on from there. A text that fails is kept in
build/fuzz/failures, with the command that repeats it.

  ./scripts/maintain/fuzz.sh --seconds 1800       a night: 14 targets, 7 hours
  ./scripts/maintain/fuzz.sh --seconds 300 csv    one target

Needs clang and its runtime, on Debian clang-16 and libclang-rt-16-dev. ctest
runs the same targets without them, on texts made at random (fuzz_mutate).
Exits with 3 if a target failed, with 1 if it could not be built, with 4 if
there is no such clang.
TEXT
}

seconds=60
targets=()
offer_help "$@"
while (($#)); do
  case "$1" in
    --seconds)
      [[ "${2-}" =~ ^[1-9][0-9]{0,5}$ ]] ||
        refuse "--seconds: '${2-}' is no number of seconds; say 1 to 999999"
      seconds="$2"
      shift 2
      ;;
    -*) refuse "unknown flag '$1'; --help shows the flags" ;;
    *)
      targets+=("$1")
      shift
      ;;
  esac
done

trap 'exit 130' INT
trap 'exit 143' TERM

build=build/fuzz

# The newest clang++ that compiles lockbench and links libFuzzer; nothing if there is none.
find_clang() {
  local clang
  for clang in clang++-{22,21,20,19,18,17,16} clang++; do
    command -v "$clang" >/dev/null || continue
    (($("$clang" -dumpversion | cut -d . -f 1) >= 16)) || continue
    echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
      "$clang" -x c++ -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null || continue
    echo "$clang"
    return
  done
}

clang="$(find_clang)"
[[ "$clang" ]] ||
  cannot_run "no clang++ 16 or newer links libFuzzer; install clang-16 and libclang-rt-16-dev"
say "Building the targets with $clang"
configure_preset fuzz -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/++/}" \
  -DBUILD_TESTING=ON
cmake --build --preset fuzz --parallel "$(nproc)" --target fuzz_libfuzzer fuzz_mutate

# Where the address layout may not be fixed, the sanitizers may still run: they say so if not.
fixed_layout=(setarch "$(uname -m)" -R)
"${fixed_layout[@]}" true 2>/dev/null || fixed_layout=()
fuzzer=("${fixed_layout[@]}" "$build/tests/fuzz/fuzz_libfuzzer")

"${fixed_layout[@]}" "$build/tests/fuzz/fuzz_mutate" --write "$build/seeds"
cp workloads/presets/*.toml "$build/seeds/preset/seeds/"
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <(ls "$build/seeds")
fi
for target in "${targets[@]}"; do
  [[ -d "$build/seeds/$target" ]] ||
    refuse "'$target' is no target; the targets are:" "$(ls -x -w 200 "$build/seeds")"
done

export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS-}"

rows=()
failed=0
# fuzz TARGET: one line of the table.
fuzz() {
  local corpus="$build/corpus/$1" failures="$build/failures" outcome=ok log
  mkdir -p "$corpus" "$failures"
  log="$failures/$1.log"
  "${fuzzer[@]}" "--target=$1" "-dict=$build/seeds/$1/words" -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    "-artifact_prefix=$failures/$1-" "$corpus" "$build/seeds/$1/seeds" >"$log" 2>&1 || {
    outcome=FAILED
    failed=$((failed + 1))
    grep -E 'does not hold|runtime error|ERROR|SUMMARY|Test unit written' "$log" >&2 || tail "$log" >&2
    echo "To repeat: ${fuzzer[*]} --target=$1 FILE" >&2
  }
  local texts
  texts="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  rows+=("$(printf '%-12s %12s %8s  %s' "$1" "${texts:--}" "$(find "$corpus" -type f | wc -l)" "$outcome")")
}

say "Running ${#targets[@]} targets, $seconds s each"
for target in "${targets[@]}"; do
  fuzz "$target"
  echo "${rows[-1]}"
done

say "Result"
printf '%-12s %12s %8s  %s\n' target texts corpus outcome
printf '%s\n' "${rows[@]}"
((failed == 0)) || exit 3
