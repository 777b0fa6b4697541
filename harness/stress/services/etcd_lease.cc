// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/etcd_lease.h"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

namespace lockbench::stress::services {
namespace {

// A server that is busy for longer is left alone.
constexpr timeval kPatience{.tv_sec = 0, .tv_usec = 200'000};

// All that the server sends until it closes the connection; empty if there is none.
std::string answer_to(std::uint16_t port, const std::string& request) {
  const int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  std::string answer;
  if (connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
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

std::string post(std::uint16_t port, const char* path, const std::string& body) {
  return answer_to(port, absl::StrCat("POST ", path, " HTTP/1.0\r\nContent-Length: ", body.size(),
                                      "\r\n\r\n", body));
}

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

bool revoke_lease(std::uint16_t port, std::uint64_t draw) {
  // Keys from `lockbench/` to before `lockbench0`, in base64.
  const std::vector<std::string> leases = leases_in(
      post(port, "/v3/kv/range",
           R"({"key":"bG9ja2JlbmNoLw==","range_end":"bG9ja2JlbmNoMA==","keys_only":true})"));
  if (leases.empty()) return false;
  const std::string& lease = leases[draw % leases.size()];
  return absl::StrContains(
      post(port, "/v3/lease/revoke", absl::StrCat(R"({"ID":")", lease, R"("})")), " 200 OK");
}

}  // namespace lockbench::stress::services
