// SPDX-License-Identifier: Apache-2.0

// VirtualNetwork: a network namespace, and a pair of virtual interfaces (veth) for each of some
// links between it and the namespace of this process. What goes over a link goes through TCP of
// both sides and can be lost.
//
// Guarantees   the interfaces and the namespace end with the last process that has sockets there.
// Requires     the right to make namespaces and interfaces (CAP_SYS_ADMIN and CAP_NET_ADMIN, as
// root
//              has them); this process has one thread in the constructor and in new_socket().
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <vector>

namespace lockbench::stress::services {

// A descriptor that closes itself.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int number) : number_(number) {}
  ~OwnedDescriptor();
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

  int number() const { return number_; }

 private:
  const int number_;
};

class VirtualNetwork {
 public:
  // Throws std::system_error.
  explicit VirtualNetwork(std::uint32_t links);

  // Of the namespace's end of a link. The network of a link has two addresses, of those that are
  // for measurements of networks (198.18.0.0/15, RFC 2544).
  in_addr address(std::uint32_t link) const { return links_[link].address; }

  // A TCP socket in the namespace, which does not block. Throws std::system_error.
  int new_socket() const;

  // Takes the namespace's end of a link down, as if its cable was pulled: what is sent over it is
  // lost, and sent again by TCP later. Or up again.
  void set_up(std::uint32_t link, bool up) const;

 private:
  struct Link {
    std::string name;  // of the namespace's end
    in_addr address;
  };

  OwnedDescriptor outside_;  // the namespace of this process
  OwnedDescriptor inside_;
  OwnedDescriptor control_;  // a socket inside
  std::vector<Link> links_;
};

}  // namespace lockbench::stress::services
