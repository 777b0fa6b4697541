// SPDX-License-Identifier: Apache-2.0

// NetBuilder: nets of threads and locks, put together by name.
//
// A place that belongs to a thread joins that thread's column, in the order of making; threads that
// are built alike are declared so with alike().
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "harness/petri/net.h"

namespace lockbench {

class NetBuilder {
 public:
  NetBuilder(std::string name, std::uint32_t threads);

  std::uint32_t threads() const { return static_cast<std::uint32_t>(columns_.size()); }

  // A place that all threads share: `a_free`, "a is free".
  std::uint32_t shared(const std::string& name, const std::string& says, std::uint32_t tokens = 0);

  // A place of thread `t`, from 0: own(0, "holds_a", "holds a") is `t1_holds_a`, "thread 1 holds
  // a".
  std::uint32_t own(std::uint32_t t, const std::string& name, const std::string& says,
                    std::uint32_t tokens = 0);

  // A step of thread `t`. `event` is what of it can be seen, without the thread; empty: nothing.
  void step(std::uint32_t t, const std::string& name, const std::string& says,
            const std::string& event, const std::vector<Arc>& takes, const std::vector<Arc>& gives);

  void claim(const std::string& says, const std::vector<std::uint32_t>& places,
             std::uint32_t most = 1);
  void want_at_end(std::uint32_t place) { net_.final_tokens.push_back({place, 1}); }
  void alike(const std::vector<std::uint32_t>& threads);

  Net take() { return std::move(net_); }

 private:
  Net net_;
  std::vector<std::vector<std::uint32_t>> columns_;  // per thread
};

}  // namespace lockbench
