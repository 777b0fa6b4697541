// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/virtual_network.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <numeric>
#include <sched.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "harness/services/engine/packet_switch.h"
#include "harness/stress/supervision/children.h"

namespace lockbench::stress::services {
namespace {

constexpr char kOwnNamespace[] = "/proc/self/ns/net";
constexpr char kTun[] = "/dev/net/tun";

constexpr std::uint32_t kHostsOfANetwork = 256;
constexpr std::uint32_t kFirstHost = 1;  // 0 is the network itself

int checked(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

int open_own_namespace() {
  return checked(open(kOwnNamespace, O_RDONLY | O_CLOEXEC), kOwnNamespace);
}

int new_socket_of(int type) {
  return checked(socket(AF_INET, type | SOCK_CLOEXEC, 0), "socket");
}

// While it exists, this thread is in another network namespace.
class Inside {
 public:
  Inside(int inside, int outside) : outside_(outside) {
    checked(setns(inside, CLONE_NEWNET), "setns");
  }
  // A thread that cannot go back must not go on: it would reach nothing.
  ~Inside() {
    if (setns(outside_, CLONE_NEWNET) != 0) std::terminate();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const int outside_;
};

int new_namespace(int outside) {
  checked(unshare(CLONE_NEWNET), "a network namespace cannot be made");
  const Inside back(open_own_namespace(), outside);
  return open_own_namespace();
}

ifreq request_for(const std::string& name) {
  ifreq request{};
  std::memcpy(request.ifr_name, name.data(), std::min<std::size_t>(name.size(), IFNAMSIZ - 1));
  return request;
}

// An interface in this thread's namespace, whose packets are read from and written to the
// descriptor.
int new_interface(const std::string& name) {
  const int number = checked(open(kTun, O_RDWR | O_CLOEXEC | O_NONBLOCK), kTun);
  ifreq request = request_for(name);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  checked(ioctl(number, TUNSETIFF, &request), "a virtual interface cannot be made");
  return number;
}

void set_address(int socket, unsigned long what, const std::string& name, in_addr address) {
  ifreq request = request_for(name);
  sockaddr_in of_interface{};
  of_interface.sin_family = AF_INET;
  of_interface.sin_addr = address;
  std::memcpy(&request.ifr_addr, &of_interface, sizeof of_interface);
  checked(ioctl(socket, what, &request), "the address of a virtual interface");
}

void set_up(int socket, const std::string& name) {
  ifreq request = request_for(name);
  checked(ioctl(socket, SIOCGIFFLAGS, &request), "a virtual interface");
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);  // NOLINT: the kernel's type
  checked(ioctl(socket, SIOCSIFFLAGS, &request), "a virtual interface");
}

in_addr in_network(std::uint32_t number) {
  constexpr std::uint32_t kFirst = 198U << 24 | 18U << 16;
  return {.s_addr = htonl(kFirst + number)};
}

// True if this machine has no such address yet.
bool is_free(in_addr address) {
  const platform::FileDescriptor socket(new_socket_of(SOCK_DGRAM));
  sockaddr_in wanted{};
  wanted.sin_family = AF_INET;
  wanted.sin_addr = address;
  return bind(socket.number(), reinterpret_cast<const sockaddr*>(&wanted), sizeof wanted) != 0;
}

// The first address of a network that is not in use here. Other runs begin elsewhere.
std::uint32_t free_network() {
  constexpr std::uint32_t kNetworks = (1U << 17) / kHostsOfANetwork;
  const auto begin = static_cast<std::uint32_t>(getpid());
  for (std::uint32_t i = 0; i < kNetworks; ++i) {
    const std::uint32_t first = (begin + i) % kNetworks * kHostsOfANetwork;
    if (is_free(in_network(first + kFirstHost))) return first;
  }
  errno = EADDRNOTAVAIL;
  return static_cast<std::uint32_t>(checked(-1, "no network of 198.18.0.0/15 is free"));
}

// An unused name for an interface here.
std::string unused_name() {
  static std::uint32_t made = 0;
  return "lb" + std::to_string(getpid()) + "_" + std::to_string(made++ % 1000);
}

}  // namespace

VirtualNetwork::VirtualNetwork(std::uint32_t front_ends, std::uint32_t members)
    : front_ends_(front_ends),
      members_(members),
      network_(free_network()),
      outside_(open_own_namespace()),
      interface_of_(hosts()),
      paths_(std::size_t{hosts()} * hosts()) {
  join({clients()}, outside_.number());
  std::vector<Host> all(front_ends);
  std::iota(all.begin(), all.end(), front_end(0));
  for (std::uint32_t i = 0; i <= members; ++i) {
    namespaces_.emplace_back(new_namespace(outside_.number()));
    join(i == 0 ? all : std::vector<Host>{member(i - 1)}, namespaces_.back().number());
  }
  std::vector<int> interfaces;
  for (const auto& interface : interfaces_) interfaces.push_back(interface.number());
  const std::uint32_t first = ntohl(in_network(network_ + kFirstHost).s_addr);
  process_ = start_child([&] { PacketSwitch(paths_, first, interfaces, interface_of_).run(); });
}

VirtualNetwork::~VirtualNetwork() {
  kill_child(process_);
  collect_child(process_);
}

// Makes the interface of hosts that are in one namespace.
void VirtualNetwork::join(const std::vector<Host>& hosts, int inside) {
  const Inside there(inside, outside_.number());
  const std::string name = inside == outside_.number() ? unused_name() : "lb0";
  interfaces_.emplace_back(new_interface(name));
  const platform::FileDescriptor control(new_socket_of(SOCK_DGRAM));
  const in_addr mask{.s_addr = htonl(~(kHostsOfANetwork - 1))};
  if (inside != outside_.number()) set_up(control.number(), "lo");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    // The kernel's way to give an interface more addresses by this call.
    const std::string label = i == 0 ? name : name + ":" + std::to_string(i);
    set_address(control.number(), SIOCSIFADDR, label, address(hosts[i]));
    set_address(control.number(), SIOCSIFNETMASK, label, mask);
    interface_of_[hosts[i]] = interfaces_.size() - 1;
  }
  set_up(control.number(), name);
}

in_addr VirtualNetwork::address(Host host) const {
  return in_network(network_ + kFirstHost + host);
}

int VirtualNetwork::new_socket() const {
  const Inside there(namespaces_.front().number(), outside_.number());
  return new_socket_of(SOCK_STREAM | SOCK_NONBLOCK);
}

void VirtualNetwork::set(Host from, Host to, const PathFault& fault) {
  Path& path = paths_[from * hosts() + to];
  put(path.seed, fault.seed);
  put(path.lost_permille, fault.lost_permille);
  put(path.longest_delay_us,
      static_cast<std::uint64_t>(std::chrono::microseconds(fault.longest_delay).count()));
  add(path.changes);
}

}  // namespace lockbench::stress::services
