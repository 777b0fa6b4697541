// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/proxy.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <deque>
#include <list>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "harness/services/servers/ipv4.h"
#include "harness/stress/supervision/children.h"

namespace lockbench::stress::services {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How soon a fault takes effect, at the latest.
constexpr int kTickMs = 2;
constexpr std::size_t kMostKept = std::size_t{1} << 20;

int new_socket() {
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// Requests are small and wait for answers.
void send_at_once(int number) {
  const int yes = 1;
  setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void reset(int number) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(number, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(number);
}

// One direction of a connection: what was read from one side and is not yet written to the other.
class Flow {
 public:
  bool wants_more() const { return !ended_ && kept_ < kMostKept; }
  bool is_over() const { return ended_ && chunks_.empty(); }
  std::optional<Clock::time_point> next_due() const {
    if (chunks_.empty()) return std::nullopt;
    return chunks_.front().due;
  }

  // Reads what there is. False: the connection is broken.
  bool read(int from, milliseconds delay) {
    std::array<char, 65536> bytes;
    const ssize_t count = recv(from, bytes.data(), bytes.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    const Clock::time_point due = Clock::now() + delay;
    const Clock::time_point last = chunks_.empty() ? due : chunks_.back().due;
    if (count == 0) ended_ = true;
    // The end of a connection is a chunk without bytes: it arrives in order, too.
    chunks_.push_back({std::max(due, last), {bytes.data(), static_cast<std::size_t>(count)}});
    kept_ += static_cast<std::size_t>(count);
    return true;
  }

  // Writes what is due. False: the connection is broken.
  bool write(int to) {
    while (!chunks_.empty() && chunks_.front().due <= Clock::now()) {
      std::string& bytes = chunks_.front().bytes;
      if (bytes.empty()) {
        shutdown(to, SHUT_WR);
      } else {
        const ssize_t count = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
        kept_ -= static_cast<std::size_t>(count);
        bytes.erase(0, static_cast<std::size_t>(count));
        if (!bytes.empty()) return true;
      }
      chunks_.pop_front();
    }
    return true;
  }

 private:
  struct Chunk {
    Clock::time_point due;
    std::string bytes;
  };
  std::deque<Chunk> chunks_;
  std::size_t kept_ = 0;
  bool ended_ = false;
};

struct Connection {
  std::size_t link;
  int client;
  int server;
  std::uint64_t silenced = 0;  // by which fault; 0: by none
  Flow to_server{};
  Flow to_client{};
};

// The process of the proxy.
class Forwarder {
 public:
  Forwarder(const platform::SharedArray<Proxy::Control>& controls,
            const std::vector<sockaddr_in>& servers, std::vector<int> listeners)
      : controls_(controls),
        servers_(servers),
        listeners_(std::move(listeners)),
        seen_(servers.size()) {}

  [[noreturn]] void run() {
    for (;;) {
      wait();
      for (std::size_t link = 0; link < servers_.size(); ++link) obey(link);
      connections_.remove_if([this](Connection& connection) { return !forward(connection); });
    }
  }

 private:
  struct Seen {
    std::uint64_t silenced = 0;
    std::uint64_t cuts = 0;
  };

  bool is_parted(std::size_t link) const { return get(controls_[link].parted) != 0; }
  bool moves(const Connection& c) const { return c.silenced == 0 && !is_parted(c.link); }

  void wait() {
    std::vector<pollfd> polled;
    int wait_ms = kTickMs;
    for (std::size_t link = 0; link < listeners_.size(); ++link) {
      if (!is_parted(link))
        polled.push_back({.fd = listeners_[link], .events = POLLIN, .revents = 0});
    }
    for (const Connection& connection : connections_) {
      if (!moves(connection)) continue;
      watch(polled, connection.client, connection.to_server);
      watch(polled, connection.server, connection.to_client);
      for (const Flow* flow : {&connection.to_server, &connection.to_client}) {
        if (flow->next_due() && *flow->next_due() <= Clock::now() + milliseconds(1)) wait_ms = 1;
      }
    }
    poll(polled.data(), polled.size(), wait_ms);
  }

  static void watch(std::vector<pollfd>& polled, int number, const Flow& flow) {
    if (flow.wants_more()) polled.push_back({.fd = number, .events = POLLIN, .revents = 0});
  }

  // Does what the supervising process asks for this link, and accepts new connections.
  void obey(std::size_t link) {
    const Proxy::Control& control = controls_[link];
    const std::uint64_t silenced = get(control.silenced);
    const std::uint64_t revealed = get(control.revealed);
    const std::uint64_t cuts = get(control.cuts);
    for (Connection& connection : connections_) {
      if (connection.link == link && connection.silenced == 0 && silenced != seen_[link].silenced) {
        connection.silenced = silenced;
      }
    }
    const bool cut = cuts != seen_[link].cuts;
    connections_.remove_if([&](const Connection& c) {
      const bool dies = c.link == link && (cut || (c.silenced != 0 && c.silenced <= revealed));
      if (dies) end(c);
      return dies;
    });
    seen_[link] = {.silenced = silenced, .cuts = cuts};
    if (!is_parted(link)) accept_all(link);
  }

  void accept_all(std::size_t link) {
    for (;;) {
      const int client = accept4(listeners_[link], nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (client < 0) return;
      const int server = new_socket();
      sockaddr_in address = servers_[link];
      const auto redirected = static_cast<std::uint16_t>(get(controls_[link].port));
      if (redirected != 0) address.sin_port = htons(redirected);
      const bool begun =
          connect(server, general(address), sizeof address) == 0 || errno == EINPROGRESS;
      if (!begun) {  // it is not there
        reset(client);
        close(server);
        continue;
      }
      send_at_once(client);
      send_at_once(server);
      connections_.push_back({.link = link, .client = client, .server = server});
    }
  }

  // False: it is over, and closed.
  bool forward(Connection& c) {
    if (!moves(c)) return true;
    const milliseconds delay(get(controls_[c.link].delay_ms));
    const bool sound = (!c.to_server.wants_more() || c.to_server.read(c.client, delay)) &&
                       (!c.to_client.wants_more() || c.to_client.read(c.server, delay)) &&
                       c.to_server.write(c.server) && c.to_client.write(c.client);
    if (!sound) {
      end(c);
      return false;
    }
    if (!c.to_server.is_over() || !c.to_client.is_over()) return true;
    close(c.client);
    close(c.server);
    return false;
  }

  static void end(const Connection& c) {
    reset(c.client);
    reset(c.server);
  }

  const platform::SharedArray<Proxy::Control>& controls_;
  const std::vector<sockaddr_in> servers_;
  const std::vector<int> listeners_;
  std::vector<Seen> seen_;
  std::list<Connection> connections_;
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Proxy::Proxy(const std::vector<sockaddr_in>& servers, VirtualNetwork* network)
    : network_(network), controls_(servers.size()) {
  std::vector<int> listeners;
  for (std::uint32_t i = 0; i < servers.size(); ++i) {
    const bool real = network_ != nullptr;
    const int listener = real ? network_->new_socket() : new_socket();
    const in_addr host = real ? network_->address(VirtualNetwork::front_end(i)) : loopback_host();
    sockaddr_in address = ipv4_address(host, 0);
    socklen_t size = sizeof address;
    if (listener < 0 || bind(listener, general(address), size) != 0 ||
        listen(listener, SOMAXCONN) != 0 || getsockname(listener, general(address), &size) != 0) {
      fail("no port for the proxy");
    }
    listeners.push_back(listener);
    addresses_.push_back(address);
  }
  process_ = start_child([&] { Forwarder(controls_, servers, listeners).run(); });
  for (const int listener : listeners) close(listener);
}

Proxy::~Proxy() {
  kill_child(process_);
  collect_child(process_);
}

std::string Proxy::address(std::uint32_t server) const {
  return ipv4_text(addresses_[server]);
}

void Proxy::delay(std::uint32_t server, milliseconds time) {
  put(controls_[server].delay_ms, static_cast<std::uint64_t>(time.count()));
}

void Proxy::part(std::uint32_t server) {
  if (network_ != nullptr) return disturb_packets(server, kAllLost);
  put(controls_[server].parted, 1);
}

void Proxy::disturb_packets(std::uint32_t server, const PathFault& fault) {
  network_->set_both_ways(VirtualNetwork::clients(), VirtualNetwork::front_end(server), fault);
}

void Proxy::make_half_open(std::uint32_t server) {
  add(controls_[server].silenced);
}

void Proxy::cut(std::uint32_t server) {
  add(controls_[server].cuts);
}

void Proxy::redirect(std::uint32_t server, std::uint16_t port) {
  put(controls_[server].port, port);
  cut(server);
}

void Proxy::heal(std::uint32_t server) {
  if (network_ != nullptr) disturb_packets(server, {});
  put(controls_[server].delay_ms, 0);
  put(controls_[server].parted, 0);
  put(controls_[server].revealed, get(controls_[server].silenced));
}

}  // namespace lockbench::stress::services
