// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/cluster_leader.h"

#include <string>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "harness/stress/services/one_answer.h"

namespace lockbench::stress::services {
namespace {

// The digits after `"field":"`; empty if there are none.
std::string number_in(const std::string& answer, const std::string& field) {
  const std::string begin = absl::StrCat("\"", field, "\":\"");
  const std::size_t at = answer.find(begin);
  if (at == std::string::npos) return {};
  const std::size_t first = at + begin.size();
  return answer.substr(first, answer.find('"', first) - first);
}

bool leads_etcd(const sockaddr_in& member) {
  const std::string answer = post_to(member, "/v3/maintenance/status", "{}");
  const std::string leader = number_in(answer, "leader");
  return !leader.empty() && leader == number_in(answer, "member_id");
}

}  // namespace

bool leads_cluster(std::string_view service, const sockaddr_in& member) {
  if (service == "etcd") return leads_etcd(member);
  return absl::StrContains(answer_to(member, "srvr"), "Mode: leader");
}

}  // namespace lockbench::stress::services
