# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # sourced: the sourcing script uses the lists of packages
# The parts that scripts share: the packages, the configuring, and how they end. Sourced, not run.
#
# ensure_packages PACKAGE…        installs the missing ones; does nothing if none is missing
# configure_preset PRESET [-D…]   configures build/PRESET
# find_python MODULE…             prints the first python3 that has them
#
# They speak of paths relative to the checkout and expect to be run from there.

# The packages that building, running and packing lockbench needs, on Debian 12 and Ubuntu 24.04 or
# newer. cpack calls file.
run_packages=(
  build-essential cmake file ninja-build pkg-config
  libabsl-dev libbenchmark-dev libcli11-dev libconcurrentqueue-dev libdw-dev
  libexpat1-dev libhwloc-dev libre2-dev libsqlite3-dev libtbb-dev libtomlplusplus-dev
  nlohmann-json3-dev
  graphviz python3 python3-jinja2 python3-matplotlib python3-pandas python3-scipy
)

# The packages that the tests need besides. Google Benchmark's compare.py reads an export, pyte
# draws a recording of a terminal, spin searches nets a second time, postgresql serves the workload
# `database`; Concurrency Kit and nsync are plugged in, memcached and pigz are observed, bpftrace
# watches programs that run, zsh completes, doxygen makes pages. The first line is check.sh's.
test_packages=(
  black flake8 mypy shellcheck
  bpftrace doxygen libbenchmark-tools libck-dev libgmock-dev libgtest-dev libnsync-dev memcached pigz
  postgresql python3-pyte python3-pytest spin zsh
)
# The packages that the tests labelled services need besides, which only test.sh --long runs: 20 MB,
# and 230 MB for ZooKeeper, whose server is a Java program.
service_packages=(
  default-jre-headless etcd-server faketime libcurl4-openssl-dev libhiredis-dev libpq-dev
  libzookeeper-java libzookeeper-mt-dev openssl pgbouncer redis-server
)
# Debian 13 has no clang-format-14: check.sh leaves the format out there.
! apt-cache show clang-format-14 &>/dev/null || test_packages+=(clang-format-14)

# The least CMake that understands CMakePresets.json.
least_cmake=3.25

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# refuse WHAT: the input is bad.
refuse() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# offer_help WORD…: prints the usage() of the script and ends it, if a word asks for it.
offer_help() {
  local word
  for word in "$@"; do
    [[ "$word" != -h && "$word" != --help ]] || { usage && exit; }
  done
}

# cannot_run WHY: this machine lacks something, so nothing was checked. suites.sh then leaves it out.
cannot_run() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 4
}

# Not every python3 on a PATH has the modules.
find_python() {
  local python
  for python in "${LOCKBENCH_PYTHON-}" python3 /usr/bin/python3; do
    [[ -n "$python" ]] || continue
    "$python" -c "import $(IFS=, && echo "$*")" 2>/dev/null && echo "$python" && return
  done
  fail "no python3 here has $*; name one that has in LOCKBENCH_PYTHON"
}

package_installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# The named packages that are not installed, one per line.
missing_packages() {
  local package
  for package in "$@"; do
    package_installed "$package" || printf '%s\n' "$package"
  done
}

ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "This is neither Debian nor Ubuntu: nothing is installed. Needed are, by Debian's names:"
    echo "  $*"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

install_packages() {
  local as_root=()
  if (($(id -u) != 0)); then
    command -v sudo >/dev/null ||
      fail "packages are missing and this user is not root and has no sudo;" \
        "as root, run: apt-get update && apt-get install --no-install-recommends $*"
    as_root=(sudo)
  fi
  say "Installing $# missing packages, a minute or two${as_root[0]:+; sudo may ask for a password}"
  echo "  $*"
  # A third party's unreachable repository must not stop what Debian's own can install.
  "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying with the lists at hand."
  # A machine just started may still be updating itself, and then holds dpkg's lock for a while.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
    --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >/dev/null ||
    fail "the packages above could not be installed; apt-get says why"
}

check_cmake() {
  command -v cmake >/dev/null || fail "cmake is missing; needed is $least_cmake or newer"
  local version
  version="$(cmake --version | sed -n '1s/[^0-9]*//p')"
  [[ "$(printf '%s\n' "$least_cmake" "$version" | sort -V | head -n 1)" == "$least_cmake" ]] ||
    fail "cmake is $version; needed is $least_cmake or newer, as Debian 12 and Ubuntu 24.04 have it"
}

configure_preset() {
  check_cmake
  # Warnings and errors go to the standard error.
  cmake --preset "$1" "${@:2}" >/dev/null
}
