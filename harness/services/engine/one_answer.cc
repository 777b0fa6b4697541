// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/one_answer.h"

#include <array>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "harness/services/engine/one_answer.h"
#include "harness/services/servers/ipv4.h"

namespace lockbench::stress::services {

namespace {

// A server that is busy for longer is left alone.
constexpr timeval kPatience{.tv_sec = 0, .tv_usec = 200'000};

}  // namespace

std::string answer_to(const sockaddr_in& server, const std::string& request) {
  const int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  std::string answer;
  if (connect(number, general(server), sizeof server) == 0 &&
      send(number, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 4096> bytes;
    for (ssize_t count = 1; count > 0;) {
      count = recv(number, bytes.data(), bytes.size(), 0);
      if (count > 0) answer.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }
  close(number);
  return answer;
}

std::string post_to(const sockaddr_in& server, const char* path, const std::string& body) {
  return answer_to(server, absl::StrCat("POST ", path, " HTTP/1.0\r\nContent-Length: ", body.size(),
                                        "\r\n\r\n", body));
}

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
