# SPDX-License-Identifier: Apache-2.0
"""C++ lines to paste for a primitive."""

from __future__ import annotations

_KEYS = {"u64": "std::uint64_t", "string": "std::string_view"}
# By name, and by the base lock: header, declaration, how one key is locked. {key}: the type of
# keys; {size}: the stripes or buckets that were measured, or nothing; {keys}: how many keys.
_BY_KEY = "auto guard = locks.lock(key);  // until the end of the scope"
_MUTEX = "std::scoped_lock guard(mutex);"
_SHARED = "std::shared_lock guard(mutex);  // or, to write: std::scoped_lock guard(mutex);"
_LEASE = "auto lease = pool.lock(shard);  // until the end of the scope"
_ALL = "auto guard = locks.lock_all(std::array{key, other});  // until the end of the scope"
_KNOWN = {
    "global": ("lockbench/adaptive_mutex.h", "lockbench::AdaptiveMutex mutex;", _MUTEX),
    "global:lock=std": ("mutex", "std::mutex mutex;", _MUTEX),
    "global:lock=std_timed": ("mutex", "std::timed_mutex mutex;", _MUTEX),
    "global:lock=std_shared": ("shared_mutex", "std::shared_mutex mutex;", _SHARED),
    "keyed": ("lockbench/keyed_mutex.h", "lockbench::KeyedMutex<{key}> locks{size};", _BY_KEY),
    "keyed_shared": (
        "lockbench/keyed_shared_mutex.h",
        "lockbench::KeyedSharedMutex<{key}> locks{size};",
        "auto guard = locks.lock_shared(key);  // or, to write: locks.lock(key)",
    ),
    "striped": ("lockbench/striped_lock.h", "lockbench::StripedLock<> locks{size};", _BY_KEY),
    "lease": (
        "lockbench/lease_pool.h",
        "lockbench::LeasePool pool({keys}, {leases});",
        _LEASE,
    ),
    "reentrant": (
        "lockbench/reentrant_lock.h",
        "lockbench::BiasedRecursiveMutex<lockbench::AdaptiveMutex> mutex;",
        _MUTEX,
    ),
    "recursive_mutex": ("mutex", "std::recursive_mutex mutex;", _MUTEX),
    # Not among the headers that are installed.
    "striped_vector": (
        "primitives/peers/striped_vector.h",
        "lockbench::StripedVector locks{size};",
        "auto lock = locks.handle(key); std::scoped_lock guard(lock);",
    ),
}


_WAIT_FOR_GOOD = ("global:lock=std", "recursive_mutex")
# With a timeout; the guard may hold nothing. {timeout}: in nanoseconds.
_TIMED = {
    _MUTEX: "std::unique_lock guard(mutex, std::chrono::nanoseconds({timeout}));  // if (guard) …",
    _BY_KEY: "auto guard = locks.try_lock_for(key, std::chrono::nanoseconds({timeout}));"
    "  // if (guard) …",
    _LEASE: "auto lease = pool.try_lock_for(shard, std::chrono::nanoseconds({timeout}));"
    "  // if (lease) …",
}


def of(
    primitive: str, key_type: str, keys: int = 1, several: bool = False, timeout_ns: float = 0.0
) -> list[str]:
    """Empty for a primitive whose lines are not known: its header says how it is used. `several`:
    two keys are locked at once. `timeout_ns`: 0 if a wait may last."""
    name, _, text = primitive.partition(":")
    parameters = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    lock = parameters.pop("lock", None)
    found = _KNOWN.get(name if lock is None else f"{name}:lock={lock}")
    size = parameters.pop("stripes", None) or parameters.pop("buckets", None)
    leases = parameters.pop("leases", None)
    if found is None or parameters:
        return []
    header, declared, taken = found
    if several and taken != _MUTEX:
        # For the others, no line is known that takes both keys in an order that cannot deadlock.
        if taken != _BY_KEY:
            return []
        taken = _ALL
    if timeout_ns:
        if taken not in _TIMED or primitive in _WAIT_FOR_GOOD:
            return []
        taken = _TIMED[taken].format(timeout=round(timeout_ns))
    made = declared.format(
        key=_KEYS.get(key_type, key_type),
        size=f"({size})" if size else "",
        keys=keys,
        leases=leases,
    )
    include = f'"{header}"' if header.startswith("primitives/") else f"<{header}>"
    return [f"#include {include}", made, taken]
