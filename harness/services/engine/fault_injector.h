// SPDX-License-Identifier: Apache-2.0

// FaultInjector: does to clients, servers and the network what the plan of an epoch says, and
// undoes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/services/engine/client_group.h"
#include "harness/services/engine/holds.h"
#include "harness/services/engine/plan.h"
#include "harness/services/engine/servers.h"
#include "primitives/platform/clock.h"

namespace lockbench::stress::services {

// An event for the trace: "SIGSTOP of client 2, which holds key 0".
struct FaultNote {
  std::uint64_t at_ns = 0;
  std::string text;
};

// The number of faults of each kind in all epochs.
using FaultCounts = std::array<std::uint64_t, kFaultKinds>;

class FaultInjector {
 public:
  FaultInjector(const EpochContext& context, ClientGroup& clients, Servers& servers,
                FaultCounts& counts, std::vector<FaultNote>& notes)
      : context_(context),
        clients_(clients),
        servers_(servers),
        counts_(counts),
        notes_(notes),
        pending_(context.plan.faults) {}

  // Call it about once a millisecond. Internal if a server that was killed cannot be started.
  absl::Status act();

  bool is_over() const { return pending_.empty() && active_.empty(); }

  // When the service may have forgotten holds, until now.
  const std::vector<Forgetting>& forgettings() const { return forgettings_; }

  // Undoes what is still in force, and begins nothing new. A cluster is whole then.
  absl::Status end_all();

 private:
  struct Active {
    PlannedFault fault;
    std::uint32_t victim;  // a client or a server
    platform::Time until;
  };

  bool may_end_holds(const PlannedFault& fault) const;
  void end_forgettings();

  bool begin(const PlannedFault& fault);
  bool begin_at_client(const PlannedFault& fault);
  bool begin_at_server(const PlannedFault& fault);
  bool begin_at_leader(const PlannedFault& fault);
  bool begin_at_majority(const PlannedFault& fault);
  void begin_at_network(const PlannedFault& fault);
  bool begin_at_peers(const PlannedFault& fault);
  absl::Status end(const Active& active);
  bool is_hit(FaultTarget target, std::uint32_t number) const;
  void note(const PlannedFault& fault, const std::string& text);

  const EpochContext& context_;
  ClientGroup& clients_;
  Servers& servers_;
  FaultCounts& counts_;
  std::vector<FaultNote>& notes_;
  const platform::Time began_ = platform::now();
  std::vector<PlannedFault> pending_;
  std::vector<Active> active_;
  std::vector<Forgetting> forgettings_;
};

}  // namespace lockbench::stress::services
