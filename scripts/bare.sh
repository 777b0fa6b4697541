#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first five minutes on a machine that has nothing. See usage() below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: ./scripts/bare.sh

Makes the Debian packages of build/release, and a bare Debian 12 in a folder of
its own, build/bare; installs them there, and does what docs/add-a-primitive.md
says: writes the ten lines, builds, lists, runs, stresses, reports. What was
typed and said stays in build/bare/transcript.txt. Exits with 1 when a step
fails. Needs root, the packages debootstrap and lintian, and a mirror of
Debian: LOCKBENCH_MIRROR, or http://deb.debian.org/debian. Five minutes, most of
them for packages; 2 GiB of disk.
TEXT
}

case "${1-}" in
  "") ;;
  -h | --help)
    usage
    exit
    ;;
  *)
    echo "bare.sh: unknown argument '$1'; the only one is --help" >&2
    exit 2
    ;;
esac

fail() {
  echo "bare.sh: $*" >&2
  exit 1
}

place=build/bare
page=docs/add-a-primitive.md
mirror="${LOCKBENCH_MIRROR:-http://deb.debian.org/debian}"

# The page's first block in that language.
block() {
  awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } on && $0 == "```" { exit } on' "$page"
}

make_packages() {
  rm -rf "$place/packages"
  (cd build/release && cpack -G DEB -B "$OLDPWD/$place/packages" >/dev/null)
  rm -rf "$place/packages/_CPack_Packages"
  lintian --allow-root --fail-on error,warning "$place"/packages/*.deb
}

# A machine as debootstrap leaves it, a new copy of it each time.
make_machine() {
  [[ -e $place/debian/etc/debian_version ]] ||
    debootstrap --variant=minbase bookworm "$place/debian" "$mirror" >"$place/debootstrap.log" ||
    fail "debootstrap failed; $place/debootstrap.log says why"
  rm -rf "$place/machine"
  cp -a "$place/debian" "$place/machine"
  mkdir "$place/machine/lockbench"
  cp "$place"/packages/*.deb "$place/machine/lockbench"
}

# What is typed there. A short look at a lock that barges may stay inconclusive, or call it unfair.
write_transcript() {
  block cpp >"$place/machine/lockbench/my_lock.cc"
  block cmake >"$place/machine/lockbench/CMakeLists.txt"
  {
    echo 'export DEBIAN_FRONTEND=noninteractive; cd /lockbench'
    echo 'set -v'
    echo 'apt-get update >>apt.log'
    echo 'apt-get install -y ./lockbench_*.deb ./liblockbench-dev_*.deb g++ cmake make >>apt.log 2>&1'
    block sh | sed -E 's/^lockbench stress .*/& || (($? > 3))/'
    echo 'ls -l mine/report.html; lockbench --version'
  } >"$place/machine/lockbench/transcript.sh"
}

(($(id -u) == 0)) || fail "a machine in a folder is root's to make; run it as root"
for tool in debootstrap lintian cpack; do
  command -v "$tool" >/dev/null || fail "$tool is missing; install its package"
done
[[ -x build/release/lockbench ]] || fail "nothing is built; run cmake --build --preset release"

mkdir -p "$place"
make_packages
make_machine
write_transcript
# The mounts are those of this one command, and gone with it.
# shellcheck disable=SC2016  # it is the inner shell that expands
unshare --mount bash -euc 'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount --rbind /sys "$1/sys"
  exec chroot "$1" /bin/bash -eu /lockbench/transcript.sh' bash "$place/machine" </dev/null 2>&1 |
  tee "$place/transcript.txt"
