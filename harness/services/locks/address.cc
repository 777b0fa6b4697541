// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/address.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "primitives/service.h"

namespace lockbench::services {
namespace {

[[noreturn]] void refuse(std::string_view service, const std::string& why) {
  throw ServiceError(std::string(service) + ": " + why);
}

// Takes what stands before `end` from the front of `rest`, and `end` itself; empty if it has none.
std::string take_until(std::string_view& rest, std::string_view end) {
  const std::size_t at = rest.find(end);
  if (at == std::string_view::npos) return {};
  const std::string taken(rest.substr(0, at));
  rest.remove_prefix(at + end.size());
  return taken;
}

Address parse_one(std::string_view service, std::string_view text) {
  std::string_view rest = text;
  const std::string scheme = take_until(rest, "://");
  Address address;
  std::string account;
  // A password may have an @, a host has none.
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    account = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  const bool plain = scheme.empty() && account.empty();
  if (const std::size_t colon = account.find(':'); colon != std::string::npos) {
    address.password = account.substr(colon + 1);
    account.resize(colon);
  }
  address.user = account;
  address.tls = scheme == std::string(service) + "s";
  // hiredis of Debian 12 and ZooKeeper's library as Debian builds it have no TLS.
  if (address.tls && service != "etcd") {
    refuse(service, "its client library has no TLS here; put a proxy such as stunnel in between");
  }
  if (!scheme.empty() && scheme != service && !address.tls) {
    refuse(service, "an address begins with '" + scheme + "://'; it is written host:port or " +
                        std::string(service) + "://user:password@host:port");
  }
  const std::size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos) {
    const char* const last = rest.data() + rest.size();
    const auto [end, error] = std::from_chars(rest.data() + colon + 1, last, address.port);
    if (error == std::errc() && end == last) address.host = rest.substr(0, colon);
  }
  if (address.host.starts_with('[') && address.host.ends_with(']')) {  // of IPv6
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty() || address.port == 0) {
    // Text that was written with an account may contain a password wherever it is wrong.
    const std::string what = plain ? "'" + std::string(rest) + "'" : "what follows the account";
    refuse(service, what + " is no address; it is written host:port, and a password has no comma");
  }
  return address;
}

}  // namespace

std::vector<Address> parse_addresses(std::string_view service, std::string_view text) {
  std::vector<Address> addresses;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    addresses.push_back(parse_one(service, text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return addresses;
}

std::string address_text_of(std::string_view service) {
  std::string variable = "LOCKBENCH_";
  for (const char c : service) variable += static_cast<char>(std::toupper(c));
  const char* const text = std::getenv(variable.c_str());
  if (text == nullptr || *text == '\0') {
    refuse(service, "needs a server; name one by --service " + std::string(service) +
                        "=host:port, or by " + variable);
  }
  return text;
}

std::vector<Address> addresses_of(std::string_view service, std::size_t least) {
  std::vector<Address> addresses = parse_addresses(service, address_text_of(service));
  if (addresses.size() < least) {
    refuse(service, "needs " + std::to_string(least) + " servers, and " +
                        std::to_string(addresses.size()) +
                        " are named; separate their addresses by commas");
  }
  return addresses;
}

}  // namespace lockbench::services
