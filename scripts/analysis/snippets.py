# SPDX-License-Identifier: Apache-2.0
"""C++ lines to paste for a primitive."""

from __future__ import annotations

_KEYS = {"u64": "std::uint64_t", "string": "std::string_view"}
# By name, and by the base lock: header, declaration, how one key is locked. {key}: the type of
# keys; {size}: the stripes or buckets that were measured, or nothing.
_BY_KEY = "auto lock = locks.handle(key);"
_KNOWN = {
    "global": ("primitives/adaptive_mutex.h", "lockbench::AdaptiveMutex mutex;", ""),
    "global:lock=std": ("mutex", "std::mutex mutex;", ""),
    "keyed": ("primitives/keyed_mutex.h", "lockbench::KeyedMutex<{key}> locks{size};", _BY_KEY),
    "striped": ("primitives/striped_lock.h", "lockbench::StripedLock<> locks{size};", _BY_KEY),
    "reentrant": (
        "primitives/reentrant_lock.h",
        "lockbench::BiasedRecursiveMutex<lockbench::AdaptiveMutex> mutex;",
        "",
    ),
    "recursive_mutex": ("mutex", "std::recursive_mutex mutex;", ""),
    "striped_vector": (
        "primitives/baselines/striped_vector.h",
        "lockbench::StripedVector locks{size};",
        _BY_KEY,
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
    include = f'#include "{header}"' if "/" in header else f"#include <{header}>"
    made = declared.format(key=_KEYS.get(key_type, key_type), size=f"({size})" if size else "")
    guarded = "lock" if taken else "mutex"
    used = [*([f"{taken}  // the key's own lock, or its stripe's"] if taken else [])]
    return [include, made, *used, f"std::scoped_lock guard({guarded});"]
