// SPDX-License-Identifier: Apache-2.0

// Which packets a path loses or delays, and who reaches whom over a VirtualNetwork.
#include "harness/services/engine/packet_switch.h"

#include <memory>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "harness/services/servers/ipv4.h"

namespace lockbench::stress::services {
namespace {

using std::chrono::microseconds;

std::vector<std::optional<microseconds>> fates(std::uint64_t seed, std::uint64_t permille,
                                               std::uint64_t longest_us) {
  VirtualNetwork::Path path;
  put(path.seed, seed);
  put(path.lost_permille, permille);
  put(path.longest_delay_us, longest_us);
  put(path.changes, 1);
  PathFates fates;
  std::vector<std::optional<microseconds>> all;
  for (int i = 0; i < 1000; ++i) all.push_back(fates.next(path));
  return all;
}

TEST(PathFates, AreThoseOfTheSeed) {
  EXPECT_EQ(fates(1, 200, 500), fates(1, 200, 500));
  EXPECT_NE(fates(1, 200, 500), fates(2, 200, 500));
}

TEST(PathFates, LoseAsManyAsAskedForAndDelayTheOthersByAtMostSoMuch) {
  std::size_t lost = 0;
  for (const auto& fate : fates(3, 200, 500)) {
    if (!fate) ++lost;
    EXPECT_LE(fate.value_or(microseconds(0)), microseconds(500));
  }
  EXPECT_GT(lost, 150U);  // of a binomial distribution: 4 deviations from 200
  EXPECT_LT(lost, 250U);
  for (const auto& fate : fates(3, 1000, 0)) EXPECT_FALSE(fate);
  for (const auto& fate : fates(3, 0, 0)) EXPECT_EQ(fate, microseconds(0));
}

class VirtualNetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      network_ = std::make_unique<VirtualNetwork>(1, 0);
    } catch (const std::system_error& error) {
      GTEST_SKIP() << error.what();
    }
    server_ = network_->new_socket();
    sockaddr_in address = ipv4_address(network_->address(VirtualNetwork::front_end(0)), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(bind(server_, general(address), size), 0);
    ASSERT_EQ(getsockname(server_, general(address), &size), 0);
    ASSERT_EQ(listen(server_, 1), 0);
    client_ = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(connect(client_, general(address), size), 0);
    pollfd polled{.fd = server_, .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&polled, 1, 10'000), 1);
    accepted_ = accept(server_, nullptr, nullptr);
  }
  ~VirtualNetworkTest() override {
    for (const int socket : {server_, client_, accepted_}) {
      if (socket >= 0) close(socket);
    }
  }

  static bool arrives(int from, int to, int within_ms) {
    char byte = 0;
    pollfd polled{.fd = to, .events = POLLIN, .revents = 0};
    return send(from, "x", 1, MSG_NOSIGNAL) == 1 && poll(&polled, 1, within_ms) == 1 &&
           recv(to, &byte, 1, 0) == 1;
  }

  std::unique_ptr<VirtualNetwork> network_;
  int server_ = -1;
  int client_ = -1;
  int accepted_ = -1;
};

TEST_F(VirtualNetworkTest, OneDirectionOfAPathCanBeLostAlone) {
  const auto front = VirtualNetwork::front_end(0);
  EXPECT_TRUE(arrives(client_, accepted_, 10'000));
  network_->set(VirtualNetwork::clients(), front, kAllLost);
  EXPECT_TRUE(arrives(accepted_, client_, 10'000));
  EXPECT_FALSE(arrives(client_, accepted_, 300));
  network_->set(VirtualNetwork::clients(), front, {});
  pollfd polled{.fd = accepted_, .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&polled, 1, 10'000), 1);  // TCP has sent it again
}

}  // namespace
}  // namespace lockbench::stress::services
