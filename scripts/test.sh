#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test, from a fresh machine to ctest's summary. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/test.sh [--long]

Installs the packages that are missing (Debian 12, Ubuntu 24.04 or newer; asks
for sudo only when it must); builds and runs the tests labelled `sanitize` in
the presets `asan` and `tsan`; runs check.sh --quick; then builds the preset
`release` with warnings as errors; runs all tests there, and ends with the
slowest sources and tests and the number of tests that passed. Exits with 1
when anything failed; what can still run does.
It takes 15 to 40 minutes on two cores with cold caches, half of it to compile;
the headings say where the minutes go.

  --long  also the tests labelled or marked `long`, which repeat on more cases
          what the others show: all of the self-test's broken locks by each
          engine, more seeds, every example and every way to depend on the
          locks, and the portable platform optimised; and locks of services
          before real servers, whose packages are then installed, too. Some 20
          minutes more.
TEXT
}

long=
offer_help "${1-}"
case "${1-}" in
  "") ;;
  --long) long=yes ;;
  *) refuse "unknown argument '$1'; there are --long and --help" ;;
esac

trap 'exit 130' INT
trap 'exit 143' TERM

# The sanitizers' runtimes that come with these compilers know the address layouts that Linux drew
# when vm.mmap_rnd_bits was at most 28; with more, programs die before main(), often or always.
most_random_bits=28

# UndefinedBehaviorSanitizer would only print; AddressSanitizer and ThreadSanitizer fail by default.
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS-}"

# Prefix of a command that runs it with a fixed address layout, where that is permitted.
fixed_layout=(setarch "$(uname -m)" -R)

# Settles `fixed_layout` for this machine; false when sanitized programs cannot run here.
settle_layout() {
  "${fixed_layout[@]}" true 2>/dev/null && return
  fixed_layout=()
  local bits
  bits="$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo unknown)"
  echo "setarch -R is not permitted here, and vm.mmap_rnd_bits is $bits."
  [[ "$bits" != unknown ]] && ((bits <= most_random_bits)) && return
  echo "The sanitizers need the one permitted, or: sysctl vm.mmap_rnd_bits=$most_random_bits"
  return 1
}

# No test takes minutes: one that hangs is a failure, not the end of the others. Two for each
# processor: tests wait for half of their time.
ctest_options=(--parallel "$((2 * $(nproc)))" --timeout 300 --no-tests=error --no-label-summary)
# If a program has a hundred tests, only those that failed are printed.
export GTEST_BRIEF=1
long_tests=OFF
if [[ "$long" ]]; then
  long_tests=ON
  export PYTEST_ADDOPTS="${PYTEST_ADDOPTS-} -m 'long or not long'" LOCKBENCH_TESTS=long
else
  ctest_options+=(--label-exclude '^(long|services)$')
fi

# The build runs with the fixed layout too: it starts each program once, to list its tests.
test_sanitized() {
  configure_preset "$1" &&
    "${fixed_layout[@]}" cmake --build --preset "$1" --parallel "$(nproc)" \
      --target sanitize_tests &&
    "${fixed_layout[@]}" ctest --preset "$1" --label-regex sanitize "${ctest_options[@]}"
}

# say, with the time since the start: where the minutes go is seen in a log.
say_when() { say "$* ($((SECONDS / 60)) min $((SECONDS % 60)) s after the start)"; }

packages=("${run_packages[@]}" "${test_packages[@]}")
[[ -z "$long" ]] || packages+=("${service_packages[@]}")
ensure_packages "${packages[@]}"

failed=()
sanitizers=(asan tsan)
settle_layout || { failed+=("${sanitizers[@]}") && sanitizers=(); }
for preset in "${sanitizers[@]}"; do
  say_when "Preset $preset: the tests labelled sanitize"
  test_sanitized "$preset" || failed+=("$preset")
done

say_when "Checks: format, include rules, Python, pages"
./scripts/check.sh --quick || failed+=("check.sh")

say_when "Preset release: all tests"
configure_preset release -DBUILD_TESTING=ON -DLOCKBENCH_WERROR=ON \
  -DLOCKBENCH_LONG_TESTS=$long_tests || failed+=("configure release")
# Builds everything that can be built, so that ctest reports what works and what was not built.
cmake --build --preset release --parallel "$(nproc)" -- -k 0 || failed+=("build release")

say_when "The tests of the preset release"
junit=$PWD/build/release/tests.xml
ctest --preset release "${ctest_options[@]}" --output-junit "$junit" || failed+=("tests release")
./scripts/maintain/slowest.py build/release "$junit" || true # it decides nothing
((${#failed[@]} == 0)) && exit
printf 'Failed: %s\n' "$(printf '%s, ' "${failed[@]}" | sed 's/, $//')"
exit 1
