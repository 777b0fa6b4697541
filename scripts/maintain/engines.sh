# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# How sanitize.sh and controls.sh speak with the engines of `stress`. Sourced, not run.
#
# order_for LOCK SECONDS SEED MODE RERUNS   the order, as an engine reads it
# member NAME REPORT                           the value of a member of a report that is a text
# number_of NAME REPORT                        … that is a number

order_for() {
  printf '{"lock":"%s","budget_ns":%d,"seed":%d,"program":"","schedule":"","memory":"",' \
    "$1" "${2}000000000" "$3"
  printf '"weaken":false,"exhaustive":false,"preemptions":3,"mode":"%s","threads":4,' "$4"
  printf '"faults":"","ignore_tokens":false,"network":"","reruns":%d,"net":""}' "$5"
}

member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$2"; }

number_of() { sed -n "s/.*\"$1\":\([-+.0-9e]*\).*/\1/p" <<<"$2"; }
