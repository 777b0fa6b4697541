// SPDX-License-Identifier: Apache-2.0

// Addresses of the servers of a service, as users write them: `host:port`, or with an account
// `redis://user:password@host:port`; several are separated by commas. With TLS, where the client
// has it: `etcds://host:port`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockbench::services {

struct Address {
  std::string host;
  std::uint16_t port = 0;
  std::string user;
  std::string password;
  bool tls = false;

  // Without the account: for messages.
  std::string text() const { return host + ":" + std::to_string(port); }
};

// Throws ServiceError, which says what is wrong with `text` and what would be right.
std::vector<Address> parse_addresses(std::string_view service, std::string_view text);

// The value of the environment variable LOCKBENCH_<SERVICE>, which `lockbench run` sets for its
// trials. Throws ServiceError if it is not set.
std::string address_text_of(std::string_view service);

// The addresses in it. Throws ServiceError if it is not set, is wrong, or names fewer than `least`
// servers.
std::vector<Address> addresses_of(std::string_view service, std::size_t least = 1);

}  // namespace lockbench::services
