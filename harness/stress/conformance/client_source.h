// SPDX-License-Identifier: Apache-2.0

// ClientSource: what threads or processes are to do next, to be held against a net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "harness/stress/client.h"
#include "harness/stress/conformance/judge.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress {

class ClientSource {
 public:
  ClientSource(const Lineup& lineup, const WatchedNet& net, const KeyMap& keys);

  // The small clients that are known to bring out faults take turns with what is drawn.
  Client next(std::mt19937_64& random);

 private:
  Client drawn(std::mt19937_64& random) const;

  const Abilities& abilities_;
  const WatchedNet& net_;
  const KeyMap& keys_;
  std::vector<Client> known_;
  std::size_t turn_ = 0;
};

// How long a run may get. Longer ones are followed no better, and are told worse.
struct RunLength {
  std::size_t acts = 0;  // of all threads or processes together, and one more a pass
  std::uint32_t most_passes = 0;
};

// How often each thread goes through its acts; at least once.
std::uint32_t passes_for(const Client& client, const RunLength& length);

}  // namespace lockbench::stress
