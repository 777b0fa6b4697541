// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/zookeeper/ensemble.h"

#include <array>
#include <memory>
#include <netdb.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace lockbench::services {
namespace {

constexpr timeval kPatience{.tv_sec = 1, .tv_usec = 0};

// Connects, too: SO_SNDTIMEO is for connect() as well.
std::string ask(const addrinfo& address, std::string_view word) {
  const int number =
      socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol);
  setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  std::string answer;
  if (connect(number, address.ai_addr, address.ai_addrlen) == 0 &&
      send(number, word.data(), word.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 1024> bytes;
    for (ssize_t count = 1; count > 0;) {
      count = recv(number, bytes.data(), bytes.size(), 0);
      if (count > 0) answer.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }
  close(number);
  return answer;
}

// Empty if it does not answer. `srvr` is the one word that every server answers as it is installed.
std::string state_of(const Address& server) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &wanted, &found) != 0) {
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    if (std::string answer = ask(*address, "srvr"); !answer.empty()) return answer;
  }
  return {};
}

}  // namespace

std::size_t servers_without_majority(const std::vector<Address>& servers) {
  std::size_t count = 0;
  for (const Address& server : servers) {
    const std::string state = state_of(server);
    if (state.find("Mode: ") != std::string::npos) return 0;
    count += state.find("not currently serving requests") != std::string::npos ? 1 : 0;
  }
  return count;
}

}  // namespace lockbench::services
