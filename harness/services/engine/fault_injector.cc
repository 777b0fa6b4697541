// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/fault_injector.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

namespace lockbench::stress::services {
namespace {

// A fault waits so long for a suitable client or session, or for another fault of its server to
// end. Then it is left out.
constexpr std::chrono::milliseconds kLatest{500};

// A server notices so late that a connection or session has ended.
constexpr std::int64_t kNoticedWithinNs = 3'000'000'000;

std::string server_name(std::uint32_t server) {
  return absl::StrCat("server ", server);
}

std::string step_text(const PlannedFault& fault) {
  const bool back = fault.step.count() < 0;
  return absl::StrCat(back ? " steps back by " : " steps forward by ",
                      back ? -fault.step.count() : fault.step.count(), " ms");
}

}  // namespace

absl::Status FaultInjector::act() {
  const platform::Time now = platform::now();
  std::vector<Active> over;
  std::erase_if(active_, [&](const Active& active) {
    if (active.until > now) return false;
    over.push_back(active);
    return true;
  });
  for (const Active& active : over) {
    if (absl::Status status = end(active); !status.ok()) return status;
  }
  std::erase_if(pending_, [&](const PlannedFault& fault) {
    if (began_ + fault.at > now) return false;
    const auto from = static_cast<std::int64_t>(now_ns());
    const bool begun = begin(fault);
    if (begun && may_end_holds(fault)) forgettings_.push_back({.from = from});
    return begun || now > began_ + fault.at + kLatest;
  });
  end_forgettings();
  return absl::OkStatus();
}

absl::Status FaultInjector::end_all() {
  pending_.clear();
  for (const Active& active : std::exchange(active_, {})) {
    if (absl::Status status = end(active); !status.ok()) return status;
  }
  end_forgettings();
  return servers_.await_all();
}

// False: it is not possible now.
bool FaultInjector::begin(const PlannedFault& fault) {
  switch (fault_of(fault.kind).target) {
    case FaultTarget::kClient:
      return begin_at_client(fault);
    case FaultTarget::kServer:
      return begin_at_server(fault);
    case FaultTarget::kPeers:
      return begin_at_peers(fault);
    default:
      if (is_hit(FaultTarget::kNetwork, fault.server)) return false;
      begin_at_network(fault);
      return true;
  }
}

bool FaultInjector::begin_at_client(const PlannedFault& fault) {
  const std::optional<std::uint32_t> victim = clients_.holder(fault.draw);
  if (!victim) return false;
  const std::string who = absl::StrCat("client ", *victim, ", which holds key ",
                                       get(context_.state.slots[*victim].holding) - 1);
  if (fault.kind == FaultKind::kKillHolder) {
    note(fault, "SIGKILL of " + who);
    clients_.replace(*victim);
    return true;
  }
  note(fault, "SIGSTOP of " + who);
  clients_.stop(*victim);
  active_.push_back({fault, *victim, platform::now() + fault.lasts});
  return true;
}

bool FaultInjector::begin_at_server(const PlannedFault& fault) {
  if (fault.kind == FaultKind::kKillLeader) return begin_at_leader(fault);
  if (fault.kind == FaultKind::kLoseMajority || fault.kind == FaultKind::kClockStepMost) {
    return begin_at_majority(fault);
  }
  const std::uint32_t server = fault.server;
  if (is_hit(FaultTarget::kServer, server)) return false;
  if (fault.kind == FaultKind::kEndSession) {
    if (!servers_.end_session(server, fault.draw)) return false;
    note(fault, "a session at " + server_name(server) + " is ended");
    return true;
  }
  if (fault.kind == FaultKind::kFailover) {
    note(fault, "the replica of " + server_name(server) + " gets nothing any more");
    servers_.detach_replica(server);
  } else if (fault.kind == FaultKind::kClockStep) {
    note(fault, "the clock of " + server_name(server) + step_text(fault));
    servers_.set_clock(server, fault.step);
  } else if (fault.kind == FaultKind::kPauseServer) {
    note(fault, "SIGSTOP of " + server_name(server));
    servers_.pause(server);
  } else {
    note(fault, "SIGKILL of " + server_name(server));
    servers_.kill(server);
  }
  active_.push_back({fault, server, platform::now() + fault.lasts});
  return true;
}

bool FaultInjector::begin_at_leader(const PlannedFault& fault) {
  const std::optional<std::uint32_t> leader = servers_.leader();
  if (!leader || is_hit(FaultTarget::kServer, *leader)) return false;
  note(fault, "SIGKILL of " + server_name(*leader) + ", the leader");
  servers_.kill(*leader);
  active_.push_back({fault, *leader, platform::now() + fault.lasts});
  return true;
}

// Servers that another fault has hit do not count: that fault may end first.
bool FaultInjector::begin_at_majority(const PlannedFault& fault) {
  std::vector<std::uint32_t> victims;
  for (std::uint32_t i = 0; i < servers_.count() && victims.size() <= servers_.count() / 2; ++i) {
    const std::uint32_t server = (fault.server + i) % servers_.count();
    if (!is_hit(FaultTarget::kServer, server)) victims.push_back(server);
  }
  if (victims.size() <= servers_.count() / 2) return false;
  const bool steps = steps_clocks(fault.kind);
  const std::string who = "servers " + absl::StrJoin(victims, " and ");
  note(fault, steps ? "each clock of " + who + step_text(fault)
                    : "SIGKILL of " + who + ": no majority is left");
  for (const std::uint32_t server : victims) {
    if (steps) servers_.set_clock(server, fault.step);
    if (!steps) servers_.kill(server);
    active_.push_back({fault, server, platform::now() + fault.lasts});
  }
  return true;
}

void FaultInjector::begin_at_network(const PlannedFault& fault) {
  const std::uint32_t server = fault.server;
  Proxy& network = servers_.network();
  if (fault.kind == FaultKind::kCut) {
    note(fault, "all connections to " + server_name(server) + " are reset");
    return network.cut(server);
  }
  if (fault.kind == FaultKind::kDelay) {
    note(fault, absl::StrCat("what is sent to and from ", server_name(server), " arrives ",
                             fault.delay.count(), " ms later"));
    network.delay(server, fault.delay);
  } else if (fault.kind == FaultKind::kPartition) {
    note(fault, "nothing arrives at or from " + server_name(server));
    network.part(server);
  } else if (fault.kind == FaultKind::kLosePackets) {
    note(fault, absl::StrCat(fault.lost_permille, " of 1000 packets to and from ",
                             server_name(server), " are lost"));
    network.disturb_packets(server, {.lost_permille = fault.lost_permille, .seed = fault.draw});
  } else if (fault.kind == FaultKind::kDelayPackets) {
    note(fault, absl::StrCat("each packet to and from ", server_name(server), " arrives up to ",
                             fault.delay.count(), " ms later"));
    network.disturb_packets(server, {.longest_delay = fault.delay, .seed = fault.draw});
  } else {
    note(fault, "the connections to " + server_name(server) + " are half-open");
    network.make_half_open(server);
  }
  active_.push_back({fault, server, platform::now() + fault.lasts});
}

bool FaultInjector::begin_at_peers(const PlannedFault& fault) {
  const std::optional<std::uint32_t> leader = servers_.leader();
  // One at a time: its end restores the paths between all members.
  const bool parted = std::any_of(active_.begin(), active_.end(), [](const Active& active) {
    return fault_of(active.fault.kind).target == FaultTarget::kPeers;
  });
  if (!leader || parted) return false;
  const bool both = fault.kind == FaultKind::kPartLeader;
  const bool sent = both || fault.draw % 2 == 0;
  const bool received = both || !sent;
  const char* const what = both ? "at or from " : received ? "at " : "from ";
  note(fault, absl::StrCat("nothing of the other members arrives ", what, server_name(*leader),
                           ", the leader"));
  servers_.part_member(*leader, {.sent = sent, .received = received});
  active_.push_back({fault, *leader, platform::now() + fault.lasts});
  return true;
}

absl::Status FaultInjector::end(const Active& active) {
  const FaultKind kind = active.fault.kind;
  const std::uint64_t now = now_ns();
  if (kind == FaultKind::kStopHolder) {
    notes_.push_back({now, absl::StrCat("SIGCONT of client ", active.victim)});
    clients_.go_on(active.victim);
  } else if (kind == FaultKind::kPauseServer) {
    notes_.push_back({now, "SIGCONT of " + server_name(active.victim)});
    servers_.resume(active.victim);
  } else if (kind == FaultKind::kRestartServer || kind == FaultKind::kEmptyServer ||
             kind == FaultKind::kKillLeader || kind == FaultKind::kLoseMajority) {
    const bool with_data = kind != FaultKind::kEmptyServer;
    const absl::Status status = servers_.restart(active.victim, with_data);
    notes_.push_back(
        {now_ns(), absl::StrCat(server_name(active.victim),
                                servers_.is_cluster() ? " is started" : " is ready", " again, ",
                                with_data ? "with" : "without", " its data")});
    return status;
  } else if (steps_clocks(kind)) {
    notes_.push_back({now, "the clock of " + server_name(active.victim) + " is right again"});
    servers_.set_clock(active.victim, {});
  } else if (kind == FaultKind::kFailover) {
    notes_.push_back(
        {now, "SIGKILL of " + server_name(active.victim) + "; its replica takes its place"});
    return servers_.fail_over(active.victim);
  } else if (fault_of(kind).target == FaultTarget::kPeers) {
    notes_.push_back({now, server_name(active.victim) + " and the other members reach each other"});
    servers_.part_member(active.victim, {});
  } else {
    notes_.push_back({now, "the network of " + server_name(active.victim) + " works again"});
    servers_.network().heal(active.victim);
  }
  return absl::OkStatus();
}

bool FaultInjector::may_end_holds(const PlannedFault& fault) const {
  return services::may_end_holds(fault.kind, context_.entry.lease.count() != 0);
}

// Those that are open, unless a fault is in force that made one.
void FaultInjector::end_forgettings() {
  const bool goes_on = std::any_of(active_.begin(), active_.end(), [&](const Active& active) {
    return may_end_holds(active.fault);
  });
  if (goes_on) return;
  const std::int64_t until = static_cast<std::int64_t>(now_ns()) + kNoticedWithinNs;
  for (Forgetting& time : forgettings_) time.to = std::min(time.to, until);
}

bool FaultInjector::is_hit(FaultTarget target, std::uint32_t number) const {
  return std::any_of(active_.begin(), active_.end(), [&](const Active& active) {
    return fault_of(active.fault.kind).target == target && active.victim == number;
  });
}

void FaultInjector::note(const PlannedFault& fault, const std::string& text) {
  ++counts_[static_cast<std::size_t>(fault.kind)];
  notes_.push_back({now_ns(), text});
}

}  // namespace lockbench::stress::services
