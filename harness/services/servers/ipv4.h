// SPDX-License-Identifier: Apache-2.0

// Addresses of IPv4, as the kernel takes them and as users write them.
#pragma once

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

namespace lockbench {

inline sockaddr_in ipv4_address(in_addr host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr = host;
  address.sin_port = htons(port);
  return address;
}

inline in_addr loopback_host() {
  return {.s_addr = htonl(INADDR_LOOPBACK)};
}

// `127.0.0.1`.
inline std::string ipv4_text(in_addr host) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &host, text.data(), text.size());
  return text.data();
}

// `127.0.0.1:6379`.
inline std::string ipv4_text(const sockaddr_in& address) {
  return ipv4_text(address.sin_addr) + ":" + std::to_string(ntohs(address.sin_port));
}

// The type that bind(), connect() and getsockname() take.
inline const sockaddr* general(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}
inline sockaddr* general(sockaddr_in& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

}  // namespace lockbench
