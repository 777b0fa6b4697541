#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Format, lint and rules: all that is read and not run. See usage() below.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

usage() {
  cat <<'TEXT'
Usage: ./scripts/check.sh [--quick]

Holds every tracked source against clang-format, the include rules and the
licence line, black, flake8, mypy, and shellcheck where it is installed, and
makes Doxygen's pages in build/doxygen without a warning: half a minute. Then clang-tidy over the sources that changed since the last commit:
up to a minute for each; --quick leaves it out. Exits with 1 when anything is
wrong; all of it is said.
TEXT
}

tidy=yes
case "${1-}" in
  "") ;;
  --quick) tidy=no ;;
  -h | --help)
    usage
    exit
    ;;
  *)
    echo "check.sh: unknown argument '$1'; there are --quick and --help" >&2
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
  if "$@"; then
    printf '%-14s ok, %d s\n' "$name" $((SECONDS - begun))
  else
    printf '%-14s wrong\n' "$name"
    failed+=("$name")
  fi
}

mapfile -t cpp < <(git ls-files '*.h' '*.cc' ':!examples/ten-lines')
mapfile -t python < <(git ls-files '*.py')
mapfile -t shell < <(git ls-files '*.sh' cmake/completion/lockbench.bash)

check format clang-format --dry-run --Werror "${cpp[@]}"
check includes python3 scripts/check_includes.py
check black black --quiet --check "${python[@]}"
check flake8 flake8 "${python[@]}"
check mypy mypy "${python[@]}"
check shell shellcheck "${shell[@]}"
if command -v doxygen >/dev/null; then
  check pages python3 scripts/pages.py
else
  echo 'pages          left out: doxygen is not installed'
fi

clang_tidy="$(command -v clang-tidy-19 || command -v clang-tidy || echo clang-tidy)"
mapfile -t changed < <(git diff --name-only --diff-filter=d HEAD -- '*.cc')
if [[ $tidy == yes ]] && ((${#changed[@]} > 0)); then
  if [[ -f build/release/compile_commands.json ]]; then
    check clang-tidy "$clang_tidy" --quiet -p build/release "${changed[@]}"
  else
    echo 'clang-tidy     left out: nothing is configured; run cmake --preset release'
  fi
fi

((${#failed[@]} == 0)) && exit
printf 'Wrong: %s\n' "${failed[*]}"
exit 1
