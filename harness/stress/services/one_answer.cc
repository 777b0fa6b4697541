// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/one_answer.h"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <absl/strings/str_cat.h>

namespace lockbench::stress::services {
namespace {

// A server that is busy for longer is left alone.
constexpr timeval kPatience{.tv_sec = 0, .tv_usec = 200'000};

}  // namespace

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

std::string post_to(std::uint16_t port, const char* path, const std::string& body) {
  return answer_to(port, absl::StrCat("POST ", path, " HTTP/1.0\r\nContent-Length: ", body.size(),
                                      "\r\n\r\n", body));
}

}  // namespace lockbench::stress::services
