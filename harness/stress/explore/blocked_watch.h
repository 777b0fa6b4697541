// SPDX-License-Identifier: Apache-2.0

// BlockedWatch: while one lives, the thread that made it is watched from another one. A simulated
// program never sleeps in the kernel and never runs for long without an access that the simulation
// sees; a lock that does so holds up the whole process, which no budget of time ends.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace lockbench::stress::explore {

class BlockedWatch {
 public:
  // Calls `beats` now and then: how much has happened. If it no longer grows, though the thread had
  // a processor or does not want one, calls `blocked`, with what the thread is about, and ends the
  // process.
  BlockedWatch(std::function<std::uint64_t()> beats,
               std::function<void(const std::string& where)> blocked);
  ~BlockedWatch();
  BlockedWatch(const BlockedWatch&) = delete;
  BlockedWatch& operator=(const BlockedWatch&) = delete;

 private:
  void watch();

  const std::function<std::uint64_t()> beats_;
  const std::function<void(const std::string&)> blocked_;
  const pid_t watched_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace lockbench::stress::explore
