#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks whether the project works without one of its capabilities. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/modules.sh [--only-build] NAME...

In a copy of the checkout (build/modules/NAME), deletes harness/NAME, the folder
of the capability, configures and builds what is left, writes its manual, and runs
its quick tests.
`scripts/maintain/modules.py list` names the capabilities; `all` means each, one after
the other. Exits with 1 if something of the rest does not build or does not
pass. A capability takes as long as a build, less with a compiler cache.

The tests of scripts.whole are left out: pages of the rest may link to a page of
the capability, and prepare.sh lists the packages of all capabilities.

  --only-build  runs no tests
TEXT
}

only_build=
names=()
offer_help "$@"
while (($# != 0)); do
  case "$1" in
    --only-build) only_build=yes ;;
    -*) refuse "unknown flag '$1'; see --help" ;;
    all) mapfile -t names < <(./scripts/maintain/modules.py list | awk '{ print $1 }') ;;
    *) names+=("$1") ;;
  esac
  shift
done
((${#names[@]} != 0)) || refuse "name a capability; scripts/maintain/modules.py list has them"

# copy_without NAME FOLDER: the checkout without the capability.
copy_without() {
  [[ -e "harness/$1/capability.txt" ]] || refuse "no capability is called '$1'; scripts/maintain/modules.py list"
  rm -rf "$2" && mkdir -p "$2"
  git ls-files --cached --others --exclude-standard -z | tar --null --files-from - --create \
    --ignore-failed-read 2>/dev/null | tar --extract --directory "$2"
  # The build asks git for the commit.
  git -C "$2" init --quiet
  rm -r "${2:?}/harness/$1"
}

without() {
  local folder=build/modules/$1
  say "Without $1"
  copy_without "$1" "$folder"
  (
    cd "$folder"
    # The page of the manual is made of the help, which now has fewer commands.
    cmake --preset release -DBUILD_TESTING=ON >/dev/null &&
      cmake --build --preset release --parallel "$(nproc)" -- -k 0 >build.log 2>&1 &&
      python3 scripts/maintain/manual.py build/release/lockbench
  ) || {
    grep -hE '(error|Error):? ' "$folder/build.log" | head -20 || true
    return 1
  }
  [[ -z "$only_build" ]] || return 0
  (
    cd "$folder" &&
      ctest --preset release --parallel "$(nproc)" --timeout 300 --no-label-summary \
        --label-exclude '^(long|services)$' --exclude-regex '^scripts\.whole$' \
        --output-on-failure
  )
}

failed=()
for name in "${names[@]}"; do
  without "$name" || failed+=("$name")
done
((${#failed[@]} == 0)) && echo "The rest works without each of: ${names[*]}" && exit
echo "The rest does not work without: ${failed[*]}"
exit 1
