// SPDX-License-Identifier: Apache-2.0

// PacketSwitch: forwards packets of IP between interfaces (VirtualNetwork), loses some and delays
// some.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <queue>
#include <vector>

#include "harness/services/engine/virtual_network.h"
#include "workloads/random.h"

namespace lockbench::stress::services {

// The effect of one path on its packets. Pure: the same seed and faults give the same fates.
class PathFates {
 public:
  // How much later the next packet arrives; without a value, it is lost.
  std::optional<std::chrono::microseconds> next(const VirtualNetwork::Path& path) {
    if (const std::uint64_t changes = get(path.changes); changes != changes_) {
      changes_ = changes;
      random_ = Random(get(path.seed));
    }
    if (random_.below(1000) < get(path.lost_permille)) return std::nullopt;
    return std::chrono::microseconds(random_.below(get(path.longest_delay_us) + 1));
  }

 private:
  std::uint64_t changes_ = 0;
  Random random_{0};
};

class PacketSwitch {
 public:
  // Host number `i` has the address `first + i` and the interface `interfaces[interface_of[i]]`.
  // `paths`: from host f to host t is number f × hosts + t.
  PacketSwitch(const platform::SharedArray<VirtualNetwork::Path>& paths, std::uint32_t first,
               std::vector<int> interfaces, const std::vector<std::size_t>& interface_of);

  [[noreturn]] void run();

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kLongest = 1500;

  struct Packet {
    Clock::time_point due;
    std::uint64_t number;  // of packets that are due at once, the first comes first
    int interface;
    std::vector<char> bytes;
    bool operator<(const Packet& other) const {
      return due != other.due ? due > other.due : number > other.number;
    }
  };

  void wait();
  void take_all(int interface);
  void forward(const char* bytes, std::size_t count);
  std::optional<std::size_t> host_at(std::uint32_t address) const;
  void send_due();

  const platform::SharedArray<VirtualNetwork::Path>& paths_;
  const std::uint32_t first_;
  const std::vector<int> interfaces_;
  const std::vector<std::size_t> interface_of_;
  std::vector<PathFates> fates_;
  std::priority_queue<Packet> delayed_;
  std::uint64_t count_ = 0;
};

}  // namespace lockbench::stress::services
