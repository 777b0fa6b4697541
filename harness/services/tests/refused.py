# SPDX-License-Identifier: Apache-2.0
"""Input that is refused for locks at servers: rows of tests/command/test_bad_input.py."""

from __future__ import annotations

REFUSED: list[tuple[str, ...]] = [
    ("stress spin --engine sim --faults cut", "--faults is for the engine services"),
    ("stress spin --mode stop --faults cut", "--faults is for the engine services"),
    ("stress spin --ignore-tokens", "none is loaded: say --plugin redis.so"),
    ("stress redis --engine services", "none is loaded: say --plugin redis.so"),
    ("stress etcd_semaphore", "lock 'etcd_semaphore' is in the plug-in etcd.so; name it by"),
    ("run --primitive redlock:nodes=3", "primitive 'redlock' is in the plug-in redis.so; name it"),
    ("run --primitive redis_semaphore", "is for `lockbench stress --engine services` alone"),
]  # fmt: skip
