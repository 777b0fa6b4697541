#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Looks for a lost wake-up in the semaphores of libstdc++, as they are installed, and in one without
# the fault: docs/laboratory/libstdcxx-semaphore.md. Builds them with the lockbench of this checkout
# (build/release), or else with an installed one. The exit code is 3 if one is broken.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
built=$here/../../build/release
if [ -e "$built/build.ninja" ]; then
  cmake --build "$built" --target lockbench lockbench-sim semaphores semaphores_sim >&2
  lockbench=$built/lockbench
  plugin=$built/tests/plugin/plugins/semaphores.so
else
  out=${TMPDIR:-/tmp}/lockbench-semaphore-$(id -u)
  cmake -S "$here" -B "$out" >&2
  cmake --build "$out" >&2
  lockbench=lockbench
  plugin=$out/semaphores.so
fi
exec "$lockbench" stress counting_semaphore binary_semaphore waits_for_zero --plugin "$plugin" \
  --engine sim "$@"
