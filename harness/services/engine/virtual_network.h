// SPDX-License-Identifier: Apache-2.0

// VirtualNetwork: hosts in network namespaces, and a switch between them. Each namespace has a
// virtual interface (TUN). The switch is a process of its own that forwards each packet of IP,
// loses it, or forwards it later. So TCP of both sides sees what it sees of a real network, on
// every kernel with TUN: neither netem nor a packet filter is needed.
//
// The hosts are this process's namespace, the servers' front ends, which are addresses of one
// namespace, and the members of a cluster, each in a namespace of its own.
//
// Guarantees   the interfaces and the namespaces end with the last process that has descriptors of
//              them. Losses and delays of a path are drawn from the seed of its fault.
// Not offered  IPv6, packets of more than 1,500 bytes.
// Requires     the right to make namespaces and interfaces (CAP_SYS_ADMIN and CAP_NET_ADMIN, as
//              root has them), and /dev/net/tun. This process has one thread in the constructor and
//              in new_socket().
#pragma once

#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <sys/types.h>
#include <vector>

#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/file.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::services {

// The treatment of the packets from one host to another.
struct PathFault {
  std::uint32_t lost_permille = 0;            // 1000: all
  std::chrono::milliseconds longest_delay{};  // each arrives up to so much later
  std::uint64_t seed = 0;
};
inline constexpr PathFault kAllLost{.lost_permille = 1000};

class VirtualNetwork {
 public:
  using Host = std::uint32_t;

  // `members`: 0: the servers are in this process's namespace. Throws std::system_error.
  VirtualNetwork(std::uint32_t front_ends, std::uint32_t members);
  ~VirtualNetwork();
  VirtualNetwork(const VirtualNetwork&) = delete;
  VirtualNetwork& operator=(const VirtualNetwork&) = delete;

  static constexpr Host clients() { return 0; }
  static Host front_end(std::uint32_t server) { return 1 + server; }
  Host member(std::uint32_t number) const { return 1 + front_ends_ + number; }
  std::uint32_t members() const { return members_; }

  // One of the addresses that are for measurements of networks (198.18.0.0/15, RFC 2544).
  in_addr address(Host host) const;
  // A descriptor of the namespace that a member is in.
  int namespace_of_member(std::uint32_t number) const { return namespaces_[1 + number].number(); }
  // A TCP socket in the front ends' namespace, which does not block. Throws std::system_error.
  int new_socket() const;

  // From now on, until the next call for this path. Packets that wait arrive.
  void set(Host from, Host to, const PathFault& fault);
  void set_both_ways(Host one, Host other, const PathFault& fault) {
    set(one, other, fault);
    set(other, one, fault);
  }

  // The words that the switch reads.
  struct Path {
    Word lost_permille;
    Word longest_delay_us;
    Word seed;
    Word changes;
  };

 private:
  std::uint32_t hosts() const { return 1 + front_ends_ + members_; }
  void join(const std::vector<Host>& hosts, int inside);

  const std::uint32_t front_ends_;
  const std::uint32_t members_;
  std::uint32_t network_ = 0;                         // its first address
  platform::FileDescriptor outside_;                  // the namespace of this process
  std::vector<platform::FileDescriptor> namespaces_;  // of the front ends and each member
  std::vector<platform::FileDescriptor> interfaces_;  // of this process's, and of those
  std::vector<std::size_t> interface_of_;             // each host
  platform::SharedArray<Path> paths_;
  pid_t process_ = -1;
};

}  // namespace lockbench::stress::services
