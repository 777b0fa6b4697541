// SPDX-License-Identifier: Apache-2.0

// The requests of EtcdLock, each one round trip. Keys and values are in base64.
#pragma once

#include <cstdint>
#include <string>

#include "harness/services/locks/etcd/json.h"

namespace lockbench::services {

inline constexpr char kTransaction[] = "/v3/kv/txn";
inline constexpr char kGrant[] = "/v3/lease/grant";
inline constexpr char kKeepAlive[] = "/v3/lease/keepalive";
inline constexpr char kRevoke[] = "/v3/lease/revoke";

// Where a key lies: all holds and waits of a lock have names from `begin` to before `end`.
struct EtcdNames {
  std::string begin;
  std::string end;
  std::string base;  // of tokens (etcd_server.h)
  std::uint32_t capacity = 1;
};

inline Json created_at(const std::string& name, std::uint64_t revision) {
  return {{"key", name},
          {"target", "CREATE"},
          {"result", "EQUAL"},
          {"create_revision", std::to_string(revision)}};
}

inline Json range(const std::string& name) {
  return {{"request_range", {{"key", name}}}};
}

// The keys that were made last, one more than may hold, of those until revision `latest`; 0: of
// all.
inline Json last_of(const EtcdNames& names, std::uint64_t latest) {
  Json range{{"key", names.begin},
             {"range_end", names.end},
             {"sort_order", "DESCEND"},
             {"sort_target", "CREATE"},
             {"limit", std::to_string(names.capacity + 1)},
             {"keys_only", true}};
  if (latest != 0) range["max_create_revision"] = std::to_string(latest);
  return {{"request_range", std::move(range)}};
}

// Makes the key `name`, and tells which keys were made before it. `only_if_free`: makes it only if
// there is no other one. If an earlier copy of the request has made it, returns that.
inline Json claim_request(const EtcdNames& names, const std::string& name, const std::string& lease,
                          bool only_if_free) {
  Json absent = created_at(only_if_free ? names.begin : name, 0);
  if (only_if_free) absent["range_end"] = names.end;
  const Json put{{"request_put", {{"key", name}, {"lease", lease}}}};
  return {{"compare", Json::array({std::move(absent)})},
          {"success", Json::array({put, last_of(names, 0), range(names.base)})},
          {"failure", Json::array({range(name)})}};
}

// Which keys were made until `revision`, that of this client's own key.
inline Json standing_request(const EtcdNames& names, std::uint64_t revision) {
  return {{"success", Json::array({last_of(names, revision), range(names.base)})}};
}

// Deletes the key if it is the one that was made at this revision.
inline Json delete_request(const std::string& name, std::uint64_t revision) {
  return {{"compare", Json::array({created_at(name, revision)})},
          {"success", Json::array({Json{{"request_delete_range", {{"key", name}}}}})}};
}

// Watches for the deletion of `name` from now on; with an `end`, of each key from `name` to before
// it.
inline Json watch_request(const std::string& name, const std::string& end) {
  Json watch{{"key", name}, {"filters", Json::array({"NOPUT"})}};
  if (!end.empty()) watch["range_end"] = end;
  return {{"create_request", std::move(watch)}};
}

}  // namespace lockbench::services
