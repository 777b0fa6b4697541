// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/client_source.h"

#include <algorithm>

#include "harness/stress/conformance/net_client.h"

namespace lockbench::stress {
namespace {

bool awaits(const Client& client) {
  return std::any_of(client.threads.begin(), client.threads.end(), [](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(),
                       [](const Act& act) { return act.kind == Act::kAwait; });
  });
}

}  // namespace

ClientSource::ClientSource(const Lineup& lineup, const WatchedNet& net, const KeyMap& keys)
    : abilities_(lineup.abilities), net_(net), keys_(keys), known_(clients_for(lineup)) {
  std::erase_if(known_,
                [&](const Client& client) { return awaits(client) || !fits(net, keys, client); });
}

Client ClientSource::next(std::mt19937_64& random) {
  const std::size_t turn = turn_++;
  return turn % 2 == 1 || known_.empty() ? drawn(random) : known_[turn / 2 % known_.size()];
}

Client ClientSource::drawn(std::mt19937_64& random) const {
  const std::uint32_t threads =
      net_.threads() == 1 ? 1 : static_cast<std::uint32_t>(2 + random() % (net_.threads() - 1));
  const auto rounds = static_cast<std::uint32_t>(1 + random() % 4);
  return draw_client(net_, keys_, abilities_, threads, rounds, random);
}

std::uint32_t passes_for(const Client& client, const RunLength& length) {
  std::size_t acts = 1;
  for (const std::vector<Act>& thread : client.threads) acts += thread.size();
  return std::clamp(static_cast<std::uint32_t>(length.acts / acts), 1U, length.most_passes);
}

}  // namespace lockbench::stress
