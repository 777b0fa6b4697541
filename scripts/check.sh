#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Format, lint and rules: all that is read and not run. See usage() below.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

usage() {
  cat <<'TEXT'
Usage: ./scripts/check.sh [--quick | --within SECONDS | --all]

Checks all tracked sources and pages: clang-format, the include rules, the links
of the pages, the package lists, the measurements behind what the pages say of
speed, black, flake8, mypy, and shellcheck if it is installed. Makes the Doxygen
pages in build/doxygen; a warning is an error. This takes half a minute. Then runs
clang-tidy, without precompiled headers, on the sources and headers that differ
from the main branch (on the main branch: from the previous commit). This takes 5
to 20 s for each file.

  --quick            without clang-tidy
  --within SECONDS   clang-tidy starts no further file after SECONDS, and the
                     script reports how many files it left out
  --all              clang-tidy on all sources: hours on two cores

Exits with 1 if a check fails. All checks run, and each reports what it found.
TEXT
}

tidy=changed
tidy_seconds=86400
case "${1-}" in
  "") ;;
  --quick) tidy=none ;;
  --all) tidy=all ;;
  --within)
    [[ "${2-}" =~ ^[1-9][0-9]{0,4}$ ]] || {
      echo "check.sh: --within wants seconds, 1 to 99999, not '${2-}'" >&2
      exit 2
    }
    tidy_seconds=$2
    ;;
  -h | --help)
    usage
    exit
    ;;
  *)
    echo "check.sh: unknown argument '$1'; there are --quick, --within, --all and --help" >&2
    exit 2
    ;;
esac

failed=()

# check NAME COMMAND…: runs it, says how long it took, and notes what fails.
check() {
  local name=$1 begun=$SECONDS
  shift
  if ! command -v "$1" >/dev/null; then
    printf '%-14s left out: %s is not installed\n' "$name" "$1"
    return
  fi
  local code=0
  "$@" || code=$?
  case "$code" in
    0) printf '%-14s ok, %d s\n' "$name" $((SECONDS - begun)) ;;
    4) printf '%-14s left out\n' "$name" ;;
    *)
      printf '%-14s wrong\n' "$name"
      failed+=("$name")
      ;;
  esac
}

mapfile -t cpp < <(git ls-files '*.h' '*.cc' ':!examples/ten-lines')
mapfile -t python < <(git ls-files '*.py')
mapfile -t shell < <(git ls-files '*.sh' cmake/completion/lockbench.bash)

check format clang-format-14 --dry-run --Werror "${cpp[@]}"
check includes python3 scripts/maintain/check_includes.py
check links python3 scripts/maintain/check_links.py
check modules python3 scripts/maintain/modules.py check
check packages python3 scripts/maintain/check_packages.py
check claims python3 scripts/maintain/check_claims.py
# Another major version of black formats otherwise.
if [[ "$(black --version 2>/dev/null)" == "black, 23."* ]]; then
  check black black --quiet --check "${python[@]}"
else
  echo 'black          left out: the sources are formatted by black 23, which is not installed'
fi
check flake8 flake8 "${python[@]}"
shopt -s nullglob
capabilities=(harness/*/python)
MYPYPATH="$(IFS=: && echo "${capabilities[*]}")" check mypy mypy "${python[@]}"
check shell shellcheck "${shell[@]}"
if command -v doxygen >/dev/null; then
  check pages python3 scripts/maintain/pages.py
else
  echo 'pages          left out: doxygen is not installed'
fi

case "$tidy" in
  none) ;;
  all) check clang-tidy python3 scripts/maintain/tidy.py --all ;;
  *) check clang-tidy python3 scripts/maintain/tidy.py --within "$tidy_seconds" ;;
esac

((${#failed[@]} == 0)) && exit
printf 'Wrong: %s\n' "${failed[*]}"
exit 1
