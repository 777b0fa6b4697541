#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests in which threads meet, built for aarch64 and run by an emulator. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/aarch64.sh [CTEST-OPTION...]

Installs Debian's cross compiler, qemu-user and mmdebstrap if they are missing;
puts the libraries for aarch64 into build/aarch64/sysroot, nothing of them into
the system; builds the locks' tests and the stress engines' and runs them under
qemu's emulation. What stands after the command goes to ctest, as -R keyed.

What it shows: the locks compile to that processor's atomics, and keep their
contracts where the kernel has no membarrier for them, as under qemu. What it
cannot: reorderings that x86 does not have, since x86 runs the emulation; for
those there are `lockbench stress --engine sim` and ThreadSanitizer.
TEXT
}

offer_help "${1-}"

trap 'exit 130' INT
trap 'exit 143' TERM

sysroot=build/aarch64/sysroot
# The packages that are linked, or included: the libraries among run_packages and test_packages.
libraries=(
  libabsl-dev libbenchmark-dev libc6-dev libcli11-dev libconcurrentqueue-dev libexpat1-dev
  libgmock-dev libgtest-dev libhwloc-dev libre2-dev libsqlite3-dev libstdc++-12-dev libtbb-dev
  libtomlplusplus-dev nlohmann-json3-dev
)
# The programs that ctest runs here: the tests of tests/primitives and tests/stress.
tests=(
  adaptive_mutex_test as_published_test contract_test key_scope_test key_test keyed_limited_test
  keyed_mutex_test lease_pool_test parking_lot_test portable_contract_test process_wide_test
  stripe_word_test striped_lock_test waiting_test sim_mutants_test sim_test stress_proc_test
  stress_real_engine_test stress_real_supervisor_test stress_real_test stress_test
)

make_sysroot() {
  say "Unpacking the libraries for aarch64 into $sysroot"
  local codename sources
  # shellcheck source=/dev/null
  codename="$(source /etc/os-release && echo "$VERSION_CODENAME")"
  sources="$(mktemp)"
  # Debian's own sources, as this machine has them: its mirrors, and no third party's.
  cat /etc/apt/sources.list.d/debian.sources >"$sources" 2>/dev/null ||
    grep -h '^deb ' /etc/apt/sources.list >"$sources" ||
    fail "no package sources in /etc/apt; Debian 12 has them in sources.list.d/debian.sources"
  mkdir -p "${sysroot%/*}"
  rm -rf "$sysroot.part"
  mmdebstrap --quiet --architecture=arm64 --variant=extract \
    --include="$(IFS=, && echo "${libraries[*]}")" "$codename" "$sysroot.part" "$sources" ||
    fail "the libraries could not be installed; mmdebstrap says why"
  rm -f "$sources"
  mv "$sysroot.part" "$sysroot"
}

ensure_packages "${run_packages[@]}" "${test_packages[@]}" g++-aarch64-linux-gnu mmdebstrap qemu-user
[[ -d "$sysroot" ]] || make_sysroot

say "Building ${#tests[@]} programs for aarch64"
configure_preset aarch64 -DLOCKBENCH_LONG_TESTS=ON
cmake --build --preset aarch64 --parallel "$(nproc)" --target "${tests[@]}"

say "Running them under $(qemu-aarch64 --version | head -n 1)"
# Emulation is ten to fifty times slower, and no test asserts a time. Only what ctest starts is
# emulated: tests that start programs by name are left out, and what was not built.
built="^($(IFS='|' && echo "${tests[*]}"))$|^contract\."
failed=0
for folder in primitives stress; do
  ctest --test-dir "build/aarch64/tests/$folder" --parallel "$(nproc)" --timeout 1200 \
    --no-tests=error --output-on-failure --tests-regex "$built" "$@" || failed=1
done
exit "$failed"
