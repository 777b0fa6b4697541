// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/key_map.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "harness/petri/net/replay.h"
#include "harness/stress/supervision/watched_child.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress {

namespace {

absl::Status unlike(const std::string& lock, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("the net is not one of '", lock, "': ", what));
}

absl::Status check_numbers(const RegisteredLock& entry, const WatchedNet& net,
                           std::uint32_t most_threads, std::uint32_t capacity, bool by_lease) {
  const std::uint32_t most = within(most_threads, entry.abilities.limits.threads);
  if (net.threads() > most) {
    return absl::InvalidArgumentError(
        absl::StrCat("the net has ", net.threads(), " threads; this engine runs at most ", most,
                     most < most_threads ? ", as the lock promises room for no more" : ""));
  }
  const std::uint32_t admitted = by_lease ? 1 : capacity;
  for (std::uint32_t lock = 0; lock < net.locks().size(); ++lock) {
    const std::uint32_t in_net = net.capacity(lock);
    if (in_net == 0 || in_net == std::min(admitted, net.threads())) continue;
    return unlike(entry.name, absl::StrCat("it lets ", in_net, " threads have ", net.locks()[lock],
                                           ", the code ", admitted));
  }
  if (entry.abilities.leases && !entry.abilities.nests_leases &&
      replay(net.solo(0), std::vector{net.acquires(0, 0), net.acquires(0, 0)}).conforms) {
    return unlike(entry.name,
                  "a thread that has a lease waits for a second one, which the code refuses");
  }
  if (by_lease && net.locks().size() != capacity) {
    return unlike(entry.name,
                  absl::StrCat("it has ", net.locks().size(), " locks, the code ", capacity));
  }
  return absl::OkStatus();
}

// Two keys that exclude each other belong to one lock. A lock has the number of its first key.
absl::StatusOr<std::vector<std::uint32_t>> locks_by_trial(const TryKey& try_key) {
  std::vector<std::uint32_t> lock_of(kKeysTried, kKeysTried);
  std::uint32_t locks = 0;
  for (std::uint32_t key = 0; key < kKeysTried; ++key) {
    if (lock_of[key] != kKeysTried) continue;
    const absl::StatusOr<TriedKey> tried = try_key(key);
    if (!tried.ok()) return tried.status();
    for (std::uint32_t other = key; other < kKeysTried; ++other) {
      if (tried->kept_out[other] && lock_of[other] == kKeysTried) lock_of[other] = locks;
    }
    lock_of[key] = locks++;
  }
  return lock_of;
}

}  // namespace

absl::StatusOr<KeyMap> map_keys(const RegisteredLock& entry, const WatchedNet& net,
                                std::uint32_t most_threads, const TryKey& try_key) {
  const absl::StatusOr<TriedKey> first = try_key(0);
  if (!first.ok()) return first.status();
  const std::uint32_t capacity = first->capacity;
  KeyMap keys{.lock_of = std::vector<std::uint32_t>(kKeysTried, 0)};
  keys.by_lease = capacity > 1 && net.locks().size() > 1 && net.capacity(0) == 1;
  const absl::Status fits = check_numbers(entry, net, most_threads, capacity, keys.by_lease);
  if (!fits.ok()) return fits;
  if (keys.by_lease) return keys;
  if (entry.abilities.lock_per_key) {
    for (std::uint32_t key = 0; key < kKeysTried; ++key) keys.lock_of[key] = key;
  } else if (net.locks().size() > 1) {
    absl::StatusOr<std::vector<std::uint32_t>> found = locks_by_trial(try_key);
    if (!found.ok()) return found.status();
    keys.lock_of = *std::move(found);
  }
  const std::uint32_t highest = *std::max_element(keys.lock_of.begin(), keys.lock_of.end());
  if (highest + 1 < net.locks().size()) {
    return unlike(entry.name,
                  absl::StrCat("it has ", net.locks().size(), " locks, the code ", highest + 1));
  }
  return keys;
}

void KeyTrial::store(const TriedKey& tried) {
  std::uint64_t bits = 0;
  for (std::uint32_t key = 0; key < kKeysTried; ++key) {
    bits |= std::uint64_t{tried.kept_out[key]} << key;
  }
  put(capacity, tried.capacity);
  put(kept_out, bits);
}

absl::StatusOr<TriedKey> tried_in_child(const std::function<void(KeyTrial&)>& attempt) {
  const platform::SharedObject<KeyTrial> trial;
  const ChildEnd end = watch_child([&] { attempt(*trial); }, [] { return std::uint64_t{0}; });
  if (end.stalled || !end.says.empty()) {
    return absl::AbortedError(end.stalled ? "a call of try_lock() did not return" : end.says);
  }
  TriedKey tried{.capacity = static_cast<std::uint32_t>(get(trial->capacity))};
  for (std::uint32_t key = 0; key < kKeysTried; ++key) {
    tried.kept_out[key] = (get(trial->kept_out) >> key & 1) != 0;
  }
  return tried;
}

}  // namespace lockbench::stress
