#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The locks on other systems and standard libraries. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/systems.sh [SYSTEM]...

Builds the locks' contract tests for each SYSTEM (all unless given), with the
locks' own waiting there and with LOCKBENCH_PORTABLE, and runs them:

  windows   64 bits, by mingw-w64, run by wine; and the example of docs/use.md by
            find_package, FetchContent and the archive of the headers
  libc++    Linux, by clang 16 or newer with its standard library

Needs, by Debian's names, for windows g++-mingw-w64-x86-64-posix (of mingw-w64)
and wine64 (of wine), for libc++ clang-16, libc++-16-dev and libc++abi-16-dev;
and googletest. Exit code: 0 passed, 1 failed, 2 bad input, 4 what a system needs
is missing: its name is printed, and the other systems are tested.
TEXT
}

systems=()
offer_help "$@"
for word in "$@"; do
  case "$word" in
    windows | libc++) systems+=("$word") ;;
    *) refuse "unknown system '$word'; there are windows and libc++, and --help" ;;
  esac
done
((${#systems[@]} != 0)) || systems=(windows libc++)

trap 'exit 130' INT
trap 'exit 143' TERM

# lacks PROGRAM PACKAGE
lacks() {
  echo "systems.sh: $1 is missing; install $2" >&2
  return 4
}

# contract SYSTEM CMAKE-OPTION…: builds tests/systems for it, and runs it.
contract() {
  local build=build/systems/$1
  cmake -S tests/systems -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "${@:2}" &&
    cmake --build "$build" --parallel "$(nproc)" &&
    ctest --test-dir "$build" --no-tests=error --output-on-failure
}

test_windows() {
  command -v x86_64-w64-mingw32-g++-posix >/dev/null ||
    lacks "mingw-w64's g++" g++-mingw-w64-x86-64-posix || return
  PATH=$PATH:/usr/lib/wine command -v wine64 >/dev/null || lacks wine64 wine64 || return
  # A folder of its own: nobody's settings count; wine says much that is no fault of the program's.
  export WINEPREFIX=$PWD/build/systems/wine WINEDEBUG=-all
  contract windows --toolchain "$PWD/cmake/mingw.cmake" || return 1
  local python
  python="$(find_python pytest)" || return 1
  LOCKBENCH_BUILD=build/systems "$python" -m pytest tests/command/test_dependency.py -k windows -m "" ||
    return 1
}

test_libcxx() {
  local clang
  for clang in clang++-{22,21,20,19,18,17,16}; do
    ! echo '#include <latch>' | "$clang" -std=c++20 -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null ||
      break
    clang=
  done
  [[ "$clang" ]] || lacks "clang++ 16 or newer with libc++" "clang-16, libc++-16-dev and libc++abi-16-dev" ||
    return
  contract libc++ -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/++/}" \
    -DCMAKE_CXX_FLAGS=-stdlib=libc++ || return 1
}

[[ -e /usr/src/googletest ]] || lacks "the source of GoogleTest" googletest || exit
code=0
for system in "${systems[@]}"; do
  say "$system"
  result=0
  case "$system" in
    windows) test_windows || result=$? ;;
    libc++) test_libcxx || result=$? ;;
  esac
  # A failure counts more than what is missing.
  ((result == 0 || code == 1)) || code=$result
done
exit "$code"
