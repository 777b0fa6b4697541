// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/etcd_lease.h"

#include <string>
#include <string_view>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "harness/stress/services/one_answer.h"

namespace lockbench::stress::services {
namespace {

// The numbers in `"lease":"123"`.
std::vector<std::string> leases_in(const std::string& answer) {
  constexpr std::string_view kField = "\"lease\":\"";
  std::vector<std::string> leases;
  for (std::size_t at = answer.find(kField); at != std::string::npos;
       at = answer.find(kField, at)) {
    at += kField.size();
    leases.push_back(answer.substr(at, answer.find('"', at) - at));
  }
  return leases;
}

}  // namespace

bool revoke_lease(const sockaddr_in& server, std::uint64_t draw) {
  // Keys from `lockbench/` to before `lockbench0`, in base64.
  const std::vector<std::string> leases = leases_in(
      post_to(server, "/v3/kv/range",
              R"({"key":"bG9ja2JlbmNoLw==","range_end":"bG9ja2JlbmNoMA==","keys_only":true})"));
  if (leases.empty()) return false;
  const std::string& lease = leases[draw % leases.size()];
  return absl::StrContains(
      post_to(server, "/v3/lease/revoke", absl::StrCat(R"({"ID":")", lease, R"("})")), " 200 OK");
}

}  // namespace lockbench::stress::services
