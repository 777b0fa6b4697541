# SPDX-License-Identifier: Apache-2.0
"""C++ lines to paste for a primitive."""

from __future__ import annotations

_KEYS = {"u64": "std::uint64_t", "string": "std::string_view"}
# By name, and by the base lock: header, declaration, how one key is locked. {key}: the type of
# keys; {size}: the stripes or buckets that were measured, or nothing.
_BY_KEY = "auto guard = locks.lock(key);  // until the end of the scope"
_MUTEX = "std::scoped_lock guard(mutex);"
_KNOWN = {
    "global": ("lockbench/adaptive_mutex.h", "lockbench::AdaptiveMutex mutex;", _MUTEX),
    "global:lock=std": ("mutex", "std::mutex mutex;", _MUTEX),
    "keyed": ("lockbench/keyed_mutex.h", "lockbench::KeyedMutex<{key}> locks{size};", _BY_KEY),
    "keyed_shared": (
        "lockbench/keyed_shared_mutex.h",
        "lockbench::KeyedSharedMutex<{key}> locks{size};",
        "auto guard = locks.lock_shared(key);  // or, to write: locks.lock(key)",
    ),
    "striped": ("lockbench/striped_lock.h", "lockbench::StripedLock<> locks{size};", _BY_KEY),
    "reentrant": (
        "lockbench/reentrant_lock.h",
        "lockbench::BiasedRecursiveMutex<lockbench::AdaptiveMutex> mutex;",
        _MUTEX,
    ),
    "recursive_mutex": ("mutex", "std::recursive_mutex mutex;", _MUTEX),
    # Not among the headers that are installed.
    "striped_vector": (
        "primitives/baselines/striped_vector.h",
        "lockbench::StripedVector locks{size};",
        "auto lock = locks.handle(key); std::scoped_lock guard(lock);",
    ),
}


def of(primitive: str, key_type: str) -> list[str]:
    """Empty for a primitive whose lines are not known: its header says how it is used."""
    name, _, text = primitive.partition(":")
    parameters = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    lock = parameters.pop("lock", None)
    found = _KNOWN.get(name if lock is None else f"{name}:lock={lock}")
    size = parameters.pop("stripes", None) or parameters.pop("buckets", None)
    if found is None or parameters:
        return []
    header, declared, taken = found
    made = declared.format(key=_KEYS.get(key_type, key_type), size=f"({size})" if size else "")
    include = f'"{header}"' if header.startswith("primitives/") else f"<{header}>"
    return [f"#include {include}", made, taken]
