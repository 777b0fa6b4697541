#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A compiler alone. $1 is the folder that has lockbench/keyed_mutex.h; after an installation into
# the system's folders, the option -I is not needed.
exec ${CXX:-c++} -std=c++20 -O2 -I "${1:-/usr/include}" "$(dirname "$0")/../accounts.cc" -pthread -o accounts
