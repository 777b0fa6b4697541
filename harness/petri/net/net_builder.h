// SPDX-License-Identifier: Apache-2.0

// NetBuilder: builds nets of threads and locks by name.
//
// A place of a thread joins the component of that thread, in the order of the calls. Threads that
// were given the same places and transitions can be declared symmetric.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/petri/net/net.h"

namespace lockbench {

class NetBuilder {
 public:
  NetBuilder(std::string name, std::uint32_t threads);

  std::uint32_t threads() const { return static_cast<std::uint32_t>(components_.size()); }

  // A place that all threads share: `a_free`, "a is free".
  std::uint32_t add_shared(const std::string& name, const std::string& label,
                           std::uint32_t tokens = 0);

  // The same; a token there means that the lock keeps nothing for one of its keys.
  std::uint32_t add_absence(const std::string& name, const std::string& label,
                            std::uint32_t tokens = 0);

  // A place of thread `t`, from 0: add_own(0, "holds_a", "holds a") is `t1_holds_a`, "thread 1
  // holds a".
  std::uint32_t add_own(std::uint32_t t, const std::string& name, const std::string& label,
                        std::uint32_t tokens = 0);

  // A transition of thread `t`. `event` is given without the thread; nullopt: it is silent.
  void add_step(std::uint32_t t, const std::string& name, const std::string& label,
                std::optional<NetEvent> event, const std::vector<Arc>& pre,
                const std::vector<Arc>& post);

  void add_property(const std::string& text, const std::vector<std::uint32_t>& places,
                    std::uint32_t most = 1);
  void add_final(std::uint32_t place) { net_.final_tokens.push_back({place, 1}); }

  // The threads run one program: exchanging two of them leaves the net unchanged.
  void declare_symmetric(const std::vector<std::uint32_t>& threads);

  Net take() { return std::move(net_); }

 private:
  Net net_;
  std::vector<std::vector<std::uint32_t>> components_;  // per thread
};

}  // namespace lockbench
