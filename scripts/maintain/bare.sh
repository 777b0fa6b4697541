#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks what the README promises, on machines that have nothing. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/prepare.sh

usage() {
  cat <<'TEXT'
Usage: ./scripts/maintain/bare.sh [--suite SUITE]... [--mirror URL] [--step STEP]... [--ccache DIR]

Makes bare machines in folders below build/bare, each with a clone of the last
commit, follows the README in them, and prints a table with the time and the
first error of each step. Exits with 1 if any step failed. Needs root, debootstrap
and 20 GiB of disk; everything takes hours on two cores.

  --suite SUITE   a release that debootstrap knows: bookworm, trixie, noble
                  (default: bookworm and trixie, with their updates)
  --mirror URL    where its packages are (default: LOCKBENCH_MIRROR, or the
                  distribution's own mirror)
  --step STEP     only this step; it continues with the machines of an earlier call
  --ccache DIR    compiles with a cache in DIR; times then say little

Steps, in order. `user` has no sudo: root runs the command that the script prints.
  demo-root test-root   ./scripts/demo.sh and ./scripts/test.sh as root
  page                  docs/add-a-primitive.md, with the packages of test-root
  demo-user test-user   as a user
  clang-oldest          the build of test.sh with clang 16, or the oldest newer one there
  clang-newest          … with the newest clang there
TEXT
}

all_steps=(demo-root test-root page demo-user test-user clang-oldest clang-newest)
oldest_clang=16
page=docs/add-a-primitive.md
suites=()
steps=()
mirror="${LOCKBENCH_MIRROR-}"
cache=""

offer_help "$@"
while (($# > 0)); do
  case "$1" in
    --suite | --mirror | --step | --ccache) (($# > 1)) || refuse "$1 needs a value; see --help" ;;&
    --suite) suites+=("$2") ;;
    --mirror) mirror="$2" ;;
    --ccache) cache="$(mkdir -p "$2" && realpath "$2")" ;;
    --step)
      [[ " ${all_steps[*]} " == *" $2 "* ]] || refuse "unknown step '$2'; see --help"
      steps+=("$2")
      ;;
    *) refuse "unknown argument '$1'; see --help" ;;
  esac
  shift 2
done
((${#suites[@]} > 0)) || suites=(bookworm trixie)
((${#steps[@]} > 0)) || steps=("${all_steps[@]}")
(($(id -u) == 0)) || cannot_run "a machine in a folder is root's to make; run it as root"
command -v debootstrap >/dev/null || cannot_run "debootstrap is missing; install its package"

# The lines of sources.list: with the updates, which a machine of today has.
sources_of() {
  local suite=$1 from=$2
  if grep -q '^ID=ubuntu' "build/bare/$suite/base/etc/os-release"; then
    printf "deb $from %s main universe\n" "$suite" "$suite-updates" "$suite-security"
  else
    printf "deb $from %s main\n" "$suite" "$suite-updates"
    echo "deb ${from%/}-security $suite-security main"
  fi
}

# The system that debootstrap leaves, updated; kept, and copied for each machine.
make_base() {
  local folder="build/bare/$1" script="/usr/share/debootstrap/scripts/$1" from="$mirror"
  [[ ! -e "$folder/updated" ]] || return 0
  [[ -e "$script" ]] || fail "debootstrap does not know '$1'; link $script to a release like it"
  if [[ "$(readlink -f "$script")" == */gutsy ]]; then
    from="${from:-http://archive.ubuntu.com/ubuntu}"
  fi
  from="${from:-http://deb.debian.org/debian}"
  rm -rf "$folder/base"
  mkdir -p "$folder"
  debootstrap --variant=minbase "$1" "$folder/base" "$from" >"$folder/debootstrap.log" ||
    fail "debootstrap failed; $folder/debootstrap.log says why"
  sources_of "$1" "$from" >"$folder/base/etc/apt/sources.list"
  # How this machine reaches its mirrors holds there, too.
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Date|Check-Valid-Until)' \
    >"$folder/base/etc/apt/apt.conf.d/90host" || true
  inside "$1/base" root "useradd --create-home --shell /bin/bash user; apt-get -qq update &&
    apt-get -qq -y upgrade && apt-get -qq -y install --no-install-recommends git" \
    >"$folder/update.log" 2>&1 || fail "the updates failed; $folder/update.log says why"
  touch "$folder/updated"
}

# inside SUITE/MACHINE USER COMMANDS: bash runs them there, with a bare environment. Mounts and
# processes end with them.
inside() {
  local machine="build/bare/$1" home="/home/$2" as=(setpriv --reuid user --regid user --init-groups)
  [[ "$2" != root ]] || { home=/root && as=(); }
  local environment=(HOME="$home" USER="$2" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  local name
  for name in http_proxy https_proxy no_proxy; do
    [[ -z "${!name-}" ]] || environment+=("$name=${!name}")
  done
  if [[ -n "$cache" ]]; then
    environment+=(CCACHE_DIR=/ccache CCACHE_UMASK=000 CCACHE_COMPILERCHECK=content
      CCACHE_BASEDIR="$home" CCACHE_NOHASHDIR=1 "CCACHE_SLOPPINESS=pch_defines,time_macros")
    chmod 1777 "$cache"
    mkdir -p "$machine/ccache"
  fi
  # shellcheck disable=SC2016  # it is the inner shell that expands
  unshare --mount --pid --fork --kill-child bash -euc '
    machine=$1 cache=$2; shift 2
    mount -t proc proc "$machine/proc"
    mount --rbind /dev "$machine/dev"
    mount --rbind /sys "$machine/sys"
    [[ -z $cache ]] || mount --bind "$cache" "$machine/ccache"
    exec chroot "$machine" "$@"' bash "$machine" "$cache" \
    env -i "${environment[@]}" "${as[@]}" bash -euo pipefail -c "$3" </dev/null
}

# as_told SUITE USER SCRIPT: runs the checkout's script; for a user, root does what it asks for.
as_told() {
  local run="cd ~/lockbench && ./scripts/$3" said
  if [[ "$2" != root ]] && ! said="$(inside "$1/$2" "$2" "$run" 2>&1)"; then
    echo "$said"
    said="$(sed -n 's/.*as root, run: //p' <<<"$said")"
    [[ -n "$said" ]] || return 1
    inside "$1/$2" root "export DEBIAN_FRONTEND=noninteractive; ${said/ install / install -qq -y }"
  fi
  inside "$1/$2" "$2" "$run"
}

new_machine() {
  rm -rf "build/bare/$1"
  cp -a --reflink=auto "build/bare/${1%/*}/base" "build/bare/$1"
  [[ -z "$cache" ]] ||
    inside "$1" root "apt-get -qq -y install --no-install-recommends ccache" >/dev/null
}

# The last commit in the home of that user; what is built there stays.
clone() {
  local home="build/bare/$1/$2/home/$2"
  [[ "$2" != root ]] || home="build/bare/$1/root/root"
  [[ -d "$home/lockbench" ]] || git clone --quiet . "$home/lockbench"
  git -c safe.directory='*' -C "$home/lockbench" fetch --quiet "$PWD" HEAD
  git -c safe.directory='*' -C "$home/lockbench" reset --quiet --hard FETCH_HEAD
  [[ "$2" == root ]] || chown -R --reference="$home" "$home/lockbench"
}

# The page's first block in that language.
block() {
  awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } on && $0 == "```" { exit } on' "$page"
}

# A short look at a lock may stay inconclusive.
follow_page() {
  local there="build/bare/$1/page/lockbench"
  inside "$1/root" root "cd ~/lockbench && cmake --build --preset release --parallel $(nproc) &&
    cd build/release && rm -rf packages && cpack -G DEB -B packages"
  new_machine "$1/page"
  mkdir "$there"
  cp "build/bare/$1/root/root/lockbench/build/release/packages"/*.deb "$there"
  block cpp >"$there/my_lock.cc"
  block cmake >"$there/CMakeLists.txt"
  inside "$1/page" root "export DEBIAN_FRONTEND=noninteractive; cd /lockbench; set -v
    apt-get -qq -y install ./lockbench_*.deb ./liblockbench-dev_*.deb g++ cmake make >apt.log 2>&1
    $(block sh | sed -E 's/^lockbench stress .*/& || (($? > 3))/')
    ls -l mine/report.html; lockbench --version"
}

# build_by_clang SUITE head|tail: by the first or the last of the versions that are promised.
build_by_clang() {
  local version
  [[ -d "build/bare/$1/user/home/user/lockbench/build" ]] || as_told "$1" user demo.sh
  version="$(inside "$1/user" root "apt-cache search --names-only '^clang-[0-9]+\$'" |
    sed -E 's/clang-([0-9]+).*/\1/' | sort -n | awk "\$1 >= $oldest_clang" | "$2" -n 1)"
  [[ -n "$version" ]] || fail "there is no clang $oldest_clang or newer in $1"
  inside "$1/user" root "source /home/user/lockbench/scripts/prepare.sh; cd /
    ensure_packages clang-$version \"\${run_packages[@]}\" \"\${test_packages[@]}\""
  inside "$1/user" user "cd ~/lockbench && clang++-$version --version | head -n 1 &&
    cmake --preset release -B build/clang-$version -DBUILD_TESTING=ON -DLOCKBENCH_WERROR=ON \
      -DCMAKE_CXX_COMPILER=clang++-$version -DCMAKE_C_COMPILER=clang-$version &&
    cmake --build build/clang-$version --parallel $(nproc) -- -k 0"
}

take_step() {
  make_base "$1"
  local user=root
  case "$2" in *-user | clang-*) user=user ;; esac
  [[ "$2" != demo-* && -d "build/bare/$1/$user" ]] || new_machine "$1/$user"
  clone "$1" "$user"
  case "$2" in
    demo-*) as_told "$1" "$user" demo.sh ;;
    test-*) as_told "$1" "$user" test.sh ;;
    page) follow_page "$1" ;;
    clang-oldest) build_by_clang "$1" head ;;
    clang-newest) build_by_clang "$1" tail ;;
  esac
}

# The line that a reader of the log looks for: an error of a compiler, a test or apt, else what may
# be one; its last line if nothing there looks like an error.
first_error() {
  grep -m 1 -aE '(error|Error|ERROR)\b.*:|\*\*\*|^(FAILED|Failed|E:)|: fatal ' "$1" ||
    grep -m 1 -aE ': cannot |(could|Could) not' "$1" || tail -n 1 "$1"
}

git diff --quiet HEAD || echo "bare.sh: the clones are of the last commit, without what changed since"
table=()
failures=0
for suite in "${suites[@]}"; do
  mkdir -p "build/bare/$suite"
  for step in "${steps[@]}"; do
    log="build/bare/$suite/$step.log"
    begun=$SECONDS
    error=""
    # In a shell of its own, where a failed command ends the step.
    set +e
    (set -e && take_step "$suite" "$step") >"$log" 2>&1
    # shellcheck disable=SC2181  # as a condition, it would not end at a failed command
    (($? == 0)) || error="$(first_error "$log" | cut -c 1-120)"
    set -e
    [[ -z "$error" ]] || failures=$((failures + 1))
    table+=("$(printf '%-10s %-14s %6d  %s' "$suite" "$step" $((SECONDS - begun)) "${error:-ok}")")
    printf '%s   (%s)\n' "${table[-1]}" "$log"
  done
done

say "Bare machines: the time of each step in seconds, and its first error"
printf '%-10s %-14s %6s  %s\n' suite step time "first error"
printf '%s\n' "${table[@]}"
((failures == 0)) || fail "$failures of ${#table[@]} steps failed"
