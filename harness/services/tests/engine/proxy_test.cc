// SPDX-License-Identifier: Apache-2.0

// The data that arrives through the proxy, and its time.
#include "harness/services/engine/proxy.h"

#include <array>
#include <cerrno>
#include <linux/sockios.h>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "harness/services/servers/ipv4.h"

namespace lockbench::stress::services {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kLongMs = 10'000;

bool is_readable(int socket, int within_ms) {
  pollfd polled{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&polled, 1, within_ms) > 0;
}

class ProxyTest : public testing::Test {
 protected:
  explicit ProxyTest(std::unique_ptr<VirtualNetwork> network = nullptr)
      : network_(std::move(network)) {
    sockaddr_in address = ipv4_address(loopback_host(), 0);
    socklen_t size = sizeof address;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listener_, general(address), size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    getsockname(listener_, general(address), &size);
    proxy_ = std::make_unique<Proxy>(std::vector<sockaddr_in>{address}, network_.get());
  }
  ~ProxyTest() override {
    for (const int socket : {listener_, client_, server_}) {
      if (socket >= 0) close(socket);
    }
  }

  void connect_client() {
    const std::string address = proxy_->address(0);
    const std::size_t colon = address.find(':');
    sockaddr_in to =
        ipv4_address({}, static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    ASSERT_EQ(inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr), 1);
    client_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(connect(client_, general(to), sizeof to), 0);
  }
  void accept_at_server() {
    ASSERT_TRUE(is_readable(listener_, kLongMs));
    server_ = accept(listener_, nullptr, nullptr);
  }
  void join() {
    connect_client();
    accept_at_server();
    expect_arrival();
  }

  void expect_arrival() const {
    char byte = 0;
    ASSERT_EQ(send(client_, "x", 1, MSG_NOSIGNAL), 1);
    ASSERT_TRUE(is_readable(server_, kLongMs));
    ASSERT_EQ(recv(server_, &byte, 1, 0), 1);
    EXPECT_EQ(byte, 'x');
  }

  // Bytes that the client has sent and the other end's kernel has not acknowledged.
  int unacknowledged() const {
    int bytes = -1;
    EXPECT_EQ(ioctl(client_, SIOCOUTQ, &bytes), 0);
    return bytes;
  }

  static void expect_reset(int socket) {
    char byte = 0;
    ASSERT_TRUE(is_readable(socket, kLongMs));
    EXPECT_EQ(recv(socket, &byte, 1, 0), -1);
    EXPECT_EQ(errno, ECONNRESET);
  }

  // The proxy obeys within a few milliseconds.
  static void wait_until_obeyed() { usleep(100'000); }

  int listener_ = -1;
  int client_ = -1;
  int server_ = -1;
  const std::unique_ptr<VirtualNetwork> network_;
  std::unique_ptr<Proxy> proxy_;
};

TEST_F(ProxyTest, WhatIsSentArrivesAndSoDoesTheEnd) {
  join();
  char byte = 0;
  ASSERT_EQ(send(server_, "y", 1, 0), 1);
  ASSERT_EQ(recv(client_, &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'y');
  close(client_);
  client_ = -1;
  ASSERT_TRUE(is_readable(server_, kLongMs));
  EXPECT_EQ(recv(server_, &byte, 1, 0), 0);
}

TEST_F(ProxyTest, APartitionHoldsBackBytesEndsAndNewConnectionsUntilItIsHealed) {
  join();
  proxy_->part(0);
  wait_until_obeyed();
  ASSERT_EQ(send(client_, "x", 1, 0), 1);
  close(client_);
  connect_client();
  EXPECT_FALSE(is_readable(server_, 50));
  EXPECT_FALSE(is_readable(listener_, 0));
  proxy_->heal(0);
  char bytes[2];
  ASSERT_TRUE(is_readable(server_, kLongMs));
  EXPECT_EQ(recv(server_, bytes, 2, 0), 1);
  EXPECT_EQ(recv(server_, bytes, 2, 0), 0);
  EXPECT_TRUE(is_readable(listener_, kLongMs));
}

TEST_F(ProxyTest, ADelayIsAtLeastAsLongAsItIsAskedFor) {
  join();
  proxy_->delay(0, 80ms);
  wait_until_obeyed();
  const Clock::time_point sent = Clock::now();
  expect_arrival();
  EXPECT_GE(Clock::now() - sent, 79ms);
}

TEST_F(ProxyTest, ACutResetsBothEnds) {
  join();
  proxy_->cut(0);
  expect_reset(client_);
  expect_reset(server_);
}

TEST_F(ProxyTest, AHalfOpenConnectionIsSilentAndResetWhenItIsHealedAndNewOnesWork) {
  join();
  const int old_client = client_;
  const int old_server = server_;
  proxy_->make_half_open(0);
  wait_until_obeyed();
  ASSERT_EQ(send(old_client, "x", 1, 0), 1);
  join();
  EXPECT_FALSE(is_readable(old_server, 50));
  proxy_->heal(0);
  expect_reset(old_client);
  expect_reset(old_server);
  expect_arrival();
  close(old_client);
  close(old_server);
}

TEST_F(ProxyTest, AClientOfAServerThatIsNotThereIsReset) {
  shutdown(listener_, SHUT_RDWR);  // the proxy's process has inherited it, too
  close(listener_);
  listener_ = -1;
  connect_client();
  expect_reset(client_);
}

// nullptr: this process may not make one, or the kernel cannot.
std::unique_ptr<VirtualNetwork> network_if_allowed() {
  try {
    return std::make_unique<VirtualNetwork>(1, 0);
  } catch (const std::system_error&) {
    return nullptr;
  }
}

class NetworkProxyTest : public ProxyTest {
 protected:
  NetworkProxyTest() : ProxyTest(network_if_allowed()) {}

  void SetUp() override {
    if (network_ == nullptr) GTEST_SKIP() << "no rights for network namespaces, or no TUN";
  }
};

TEST_F(NetworkProxyTest, ClientsAreNotOnTheLoopbackInterface) {
  EXPECT_TRUE(proxy_->address(0).starts_with("198.1"));
  join();
}

// The kernel of the client has the byte, and nobody else has.
TEST_F(NetworkProxyTest, APartitionLosesWhatIsSentAndTcpSendsItAgainWhenItIsHealed) {
  join();
  // The server may have read the first byte before the client is told that it arrived.
  for (int ms = 0; unacknowledged() != 0 && ms < kLongMs; ++ms) usleep(1000);
  proxy_->part(0);
  ASSERT_EQ(send(client_, "x", 1, 0), 1);
  EXPECT_FALSE(is_readable(server_, 50));
  EXPECT_EQ(unacknowledged(), 1);
  proxy_->heal(0);
  char bytes[2];
  ASSERT_TRUE(is_readable(server_, kLongMs));
  EXPECT_EQ(recv(server_, bytes, 2, 0), 1);
  join();
}

TEST_F(NetworkProxyTest, OtherFaultsAreThoseOfTheProxy) {
  join();
  proxy_->cut(0);
  expect_reset(client_);
  expect_reset(server_);
}

// Only packets that are sent again arrive.
TEST_F(NetworkProxyTest, WhatIsLostInSinglePacketsArrivesAllTheSame) {
  join();
  proxy_->disturb_packets(0, {.lost_permille = 300, .seed = 7});
  for (int i = 0; i < 20; ++i) expect_arrival();
}

TEST_F(NetworkProxyTest, PacketsThatAreLateArriveInOrder) {
  join();
  proxy_->disturb_packets(0, {.longest_delay = 5ms, .seed = 7});
  const std::string text(100'000, 'a');
  std::string more(text.size(), 'b');
  ASSERT_EQ(send(client_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  ASSERT_EQ(send(client_, more.data(), more.size(), 0), static_cast<ssize_t>(more.size()));
  std::string received;
  std::array<char, 4096> bytes;
  while (received.size() < text.size() + more.size()) {
    ASSERT_TRUE(is_readable(server_, kLongMs));
    const ssize_t count = recv(server_, bytes.data(), bytes.size(), 0);
    ASSERT_GT(count, 0);
    received.append(bytes.data(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(received, text + more);
}

}  // namespace
}  // namespace lockbench::stress::services
