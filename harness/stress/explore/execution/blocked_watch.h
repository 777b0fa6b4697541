// SPDX-License-Identifier: Apache-2.0

// BlockedWatch: while an object of this class exists, another thread watches the thread that made
// it. A simulated program never sleeps in the kernel and never runs for long without an access that
// the simulation sees. A lock that does so blocks the whole process, and a time budget cannot end
// that.
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
  // Calls `beats` regularly; it returns a number that grows with the progress of the thread. If the
  // number stops growing although the thread used a processor or did not request one, calls
  // `blocked` with a description of what the thread does, and ends the process.
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
