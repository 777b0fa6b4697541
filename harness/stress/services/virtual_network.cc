// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/virtual_network.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sched.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace lockbench::stress::services {
namespace {

constexpr char kOwnNamespace[] = "/proc/self/ns/net";

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int checked(int result, const char* what) {
  if (result < 0) throw_errno(what);
  return result;
}

int open_own_namespace() {
  return checked(open(kOwnNamespace, O_RDONLY | O_CLOEXEC), kOwnNamespace);
}

int udp_socket() {
  return checked(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
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

int socket_inside(int inside, int outside, int type) {
  const Inside there(inside, outside);
  return checked(socket(AF_INET, type | SOCK_CLOEXEC, 0), "socket in the namespace");
}

// A request to the kernel with nested attributes (rtnetlink(7)).
class LinkRequest {
 public:
  LinkRequest() {
    header().nlmsg_type = RTM_NEWLINK;
    header().nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
    header().nlmsg_len = NLMSG_LENGTH(0);
    add_interface();
  }

  void add_interface() {
    const ifinfomsg any{};
    append(&any, sizeof any);
  }
  void add(std::uint16_t type, const void* bytes, std::size_t count) {
    const std::size_t begin = open(type);
    append(bytes, count);
    close(begin);
  }
  void add(std::uint16_t type, const std::string& text) {
    add(type, text.c_str(), text.size() + 1);
  }

  // Opens an attribute that has others; close() gets what it returns.
  std::size_t open(std::uint16_t type) {
    const std::size_t begin = header().nlmsg_len;
    const rtattr attribute{.rta_len = 0, .rta_type = type};
    append(&attribute, sizeof attribute);
    return begin;
  }
  void close(std::size_t begin) {
    const auto length = static_cast<std::uint16_t>(unpadded_ - begin);
    std::memcpy(bytes_.data() + begin + offsetof(rtattr, rta_len), &length, sizeof length);
  }

  // Throws what the kernel answers, if it refuses.
  void send() {
    const OwnedDescriptor kernel(
        checked(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "netlink"));
    checked(static_cast<int>(::send(kernel.number(), bytes_.data(), header().nlmsg_len, 0)),
            "netlink");
    alignas(nlmsghdr) std::array<char, 4096> answer{};
    checked(static_cast<int>(recv(kernel.number(), answer.data(), answer.size(), 0)), "netlink");
    nlmsgerr said{};
    std::memcpy(&said, answer.data() + NLMSG_HDRLEN, sizeof said);
    errno = -said.error;
    if (said.error != 0) throw_errno("a virtual interface cannot be made");
  }

 private:
  nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(bytes_.data()); }

  void append(const void* bytes, std::size_t count) {
    std::memcpy(bytes_.data() + header().nlmsg_len, bytes, count);
    unpadded_ = header().nlmsg_len + count;
    header().nlmsg_len = static_cast<std::uint32_t>(NLMSG_ALIGN(unpadded_));
  }

  alignas(nlmsghdr) std::array<char, 512> bytes_{};
  std::size_t unpadded_ = 0;
};

// A pair of interfaces: `here`, and `there` in the namespace `inside`.
void make_pair(const std::string& here, const std::string& there, int inside) {
  LinkRequest request;
  request.add(IFLA_IFNAME, here);
  const std::size_t about = request.open(IFLA_LINKINFO);
  request.add(IFLA_INFO_KIND, "veth");
  const std::size_t of_kind = request.open(IFLA_INFO_DATA);
  const std::size_t peer = request.open(VETH_INFO_PEER);
  request.add_interface();
  request.add(IFLA_IFNAME, there);
  request.add(IFLA_NET_NS_FD, &inside, sizeof inside);
  request.close(peer);
  request.close(of_kind);
  request.close(about);
  request.send();
}

ifreq request_for(const std::string& name) {
  ifreq request{};
  std::memcpy(request.ifr_name, name.data(), std::min<std::size_t>(name.size(), IFNAMSIZ - 1));
  return request;
}

void set_address(int socket, unsigned long what, const std::string& name, in_addr address) {
  ifreq request = request_for(name);
  sockaddr_in of_interface{};
  of_interface.sin_family = AF_INET;
  of_interface.sin_addr = address;
  std::memcpy(&request.ifr_addr, &of_interface, sizeof of_interface);
  checked(ioctl(socket, what, &request), "the address of a virtual interface");
}

void set_flag_up(int socket, const std::string& name, bool up) {
  ifreq request = request_for(name);
  checked(ioctl(socket, SIOCGIFFLAGS, &request), "a virtual interface");
  request.ifr_flags = static_cast<short>(up ? request.ifr_flags | IFF_UP     // NOLINT: the type is
                                            : request.ifr_flags & ~IFF_UP);  // the kernel's
  checked(ioctl(socket, SIOCSIFFLAGS, &request), "a virtual interface");
}

in_addr address_of(std::uint32_t number) {
  constexpr std::uint32_t kFirst = 198U << 24 | 18U << 16;
  return {.s_addr = htonl(kFirst + number)};
}

// Whether this machine has no such address yet.
bool is_free(int socket, in_addr address) {
  sockaddr_in wanted{};
  wanted.sin_family = AF_INET;
  wanted.sin_addr = address;
  return bind(socket, reinterpret_cast<const sockaddr*>(&wanted), sizeof wanted) != 0;
}

// The first of four addresses of a network that is not in use here. Other runs begin elsewhere.
std::uint32_t free_network(std::uint32_t link) {
  constexpr std::uint32_t kNetworks = 1U << 15;
  constexpr std::uint32_t kLinksOfARun = 16;
  const auto begin = static_cast<std::uint32_t>(getpid()) * kLinksOfARun + link;
  for (std::uint32_t i = 0;; i += kLinksOfARun) {
    const std::uint32_t first = (begin + i) % kNetworks * 4;
    const OwnedDescriptor socket(udp_socket());
    if (i >= kNetworks || is_free(socket.number(), address_of(first + 1))) return first;
  }
}

// Of an interface here. The last ones of this process may still be there: the kernel removes them
// some time after their namespace has ended.
std::string unused_name() {
  static std::uint32_t made = 0;
  return "lb" + std::to_string(getpid()) + "_" + std::to_string(made++ % 1000);
}

}  // namespace

OwnedDescriptor::~OwnedDescriptor() {
  close(number_);
}

VirtualNetwork::VirtualNetwork(std::uint32_t links)
    : outside_(open_own_namespace()),
      inside_(new_namespace(outside_.number())),
      control_(socket_inside(inside_.number(), outside_.number(), SOCK_DGRAM)) {
  const OwnedDescriptor here(udp_socket());
  const in_addr mask{.s_addr = htonl(~std::uint32_t{3})};
  for (std::uint32_t link = 0; link < links; ++link) {
    const std::string own = unused_name();
    const std::string name = "lb" + std::to_string(link);
    make_pair(own, name, inside_.number());
    const std::uint32_t first = free_network(link);
    links_.push_back({.name = name, .address = address_of(first + 2)});
    set_address(here.number(), SIOCSIFADDR, own, address_of(first + 1));
    set_address(here.number(), SIOCSIFNETMASK, own, mask);
    set_flag_up(here.number(), own, true);
    set_address(control_.number(), SIOCSIFADDR, name, links_.back().address);
    set_address(control_.number(), SIOCSIFNETMASK, name, mask);
    set_up(link, true);
  }
}

int VirtualNetwork::new_socket() const {
  return socket_inside(inside_.number(), outside_.number(), SOCK_STREAM | SOCK_NONBLOCK);
}

void VirtualNetwork::set_up(std::uint32_t link, bool up) const {
  set_flag_up(control_.number(), links_[link].name, up);
}

}  // namespace lockbench::stress::services
