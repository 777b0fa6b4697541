// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/one_answer.h"

#include <array>
#include <sys/socket.h>
#include <unistd.h>

#include <absl/strings/str_cat.h>

#include "harness/process/ipv4.h"

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

}  // namespace lockbench::stress::services
