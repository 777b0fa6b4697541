// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/packet_switch.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <netinet/ip.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace lockbench::stress::services {

using std::chrono::nanoseconds;
using std::chrono::seconds;

PacketSwitch::PacketSwitch(const platform::SharedArray<VirtualNetwork::Path>& paths,
                           std::uint32_t first, std::vector<int> interfaces,
                           const std::vector<std::size_t>& interface_of)
    : paths_(paths),
      first_(first),
      interfaces_(std::move(interfaces)),
      interface_of_(interface_of),
      fates_(interface_of.size() * interface_of.size()) {}

void PacketSwitch::run() {
  for (;;) {
    wait();
    for (const int interface : interfaces_) take_all(interface);
    send_due();
  }
}

// Until there are packets, or one that waits is due.
void PacketSwitch::wait() {
  std::vector<pollfd> polled;
  for (const int interface : interfaces_) {
    polled.push_back({.fd = interface, .events = POLLIN, .revents = 0});
  }
  nanoseconds left = seconds(1);
  if (!delayed_.empty()) {
    left = std::clamp<nanoseconds>(delayed_.top().due - Clock::now(), nanoseconds(0), left);
  }
  const timespec at_most{.tv_sec = static_cast<time_t>(left.count() / 1'000'000'000),
                         .tv_nsec = static_cast<long>(left.count() % 1'000'000'000)};
  ppoll(polled.data(), polled.size(), &at_most, nullptr);
}

void PacketSwitch::take_all(int interface) {
  std::array<char, kLongest> bytes;
  for (;;) {
    const ssize_t count = read(interface, bytes.data(), bytes.size());
    if (count <= 0) return;
    forward(bytes.data(), static_cast<std::size_t>(count));
  }
}

// A packet of another protocol or network goes nowhere.
void PacketSwitch::forward(const char* bytes, std::size_t count) {
  iphdr header{};
  if (count < sizeof header) return;
  std::memcpy(&header, bytes, sizeof header);
  const auto from = host_at(ntohl(header.saddr));
  const auto to = host_at(ntohl(header.daddr));
  if (header.version != 4 || !from || !to) return;
  const std::size_t path = *from * interface_of_.size() + *to;
  const auto later = fates_[path].next(paths_[path]);
  if (!later) return;
  const int interface = interfaces_[interface_of_[*to]];
  if (later->count() == 0) {
    // A packet that an interface has no room for is lost, as elsewhere.
    static_cast<void>(!write(interface, bytes, count));
    return;
  }
  delayed_.push({Clock::now() + *later, count_++, interface, {bytes, bytes + count}});
}

std::optional<std::size_t> PacketSwitch::host_at(std::uint32_t address) const {
  const std::uint32_t host = address - first_;
  if (host >= interface_of_.size()) return std::nullopt;
  return host;
}

void PacketSwitch::send_due() {
  while (!delayed_.empty() && delayed_.top().due <= Clock::now()) {
    const Packet& packet = delayed_.top();
    static_cast<void>(!write(packet.interface, packet.bytes.data(), packet.bytes.size()));
    delayed_.pop();
  }
}

}  // namespace lockbench::stress::services
