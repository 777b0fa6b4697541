// SPDX-License-Identifier: Apache-2.0

// Proxy: the network between clients and servers. A process of its own accepts connections for each
// server, and forwards them: on a port of the loopback interface, or at a front end in a
// VirtualNetwork.
//
// Guarantees   What is sent arrives in order, unless the connection is reset.
// Not offered  Faults of single packets on the loopback interface; a VirtualNetwork has them.
// Requires     this process has one thread when the proxy is made.
#pragma once

#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/services/engine/virtual_network.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::services {

class Proxy {
 public:
  // One port for each of the servers; with a `network`, which must last longer, at its front ends.
  // Throws std::system_error if none is free.
  explicit Proxy(const std::vector<sockaddr_in>& servers, VirtualNetwork* network = nullptr);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // `ADDRESS:PORT`, where clients reach the server: on the loopback interface, or in the network.
  std::string address(std::uint32_t server) const;

  // ---- faults; each holds until the next call for the same server

  // Data that is sent from now on arrives so much later; 0: at once.
  void delay(std::uint32_t server, std::chrono::milliseconds time);
  // Nothing is forwarded, neither bytes nor ends of connections. They arrive after heal(). In a
  // VirtualNetwork, all packets are lost: both ends send them again, later and later.
  void part(std::uint32_t server);
  // Connections that there are now stay open and silent, and are reset by heal(). New ones work.
  void make_half_open(std::uint32_t server);
  // Resets all connections that there are now.
  void cut(std::uint32_t server);
  // Single packets in both directions. Only in a VirtualNetwork.
  void disturb_packets(std::uint32_t server, const PathFault& fault);
  void heal(std::uint32_t server);

  // From now on, connections are to another port. Resets those that there are.
  void redirect(std::uint32_t server, std::uint16_t port);

  // The words that the process reads.
  struct Control {
    Word delay_ms;
    Word parted;
    Word silenced;  // grows with each make_half_open()
    Word revealed;  // the last `silenced` that is over
    Word cuts;      // grows with each cut()
    Word port;      // of the server; 0: the one that it had at first
  };

 private:
  VirtualNetwork* const network_;
  platform::SharedArray<Control> controls_;
  std::vector<sockaddr_in> addresses_;  // where clients reach the servers
  pid_t process_ = -1;
};

}  // namespace lockbench::stress::services
