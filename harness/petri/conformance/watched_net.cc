// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/watched_net.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <absl/status/status.h>

#include "harness/petri/net/pnml.h"
#include "harness/petri/net/replay.h"

namespace lockbench::stress {
namespace {

// The net with only the places and transitions of this thread.
Net alone(const Net& net, std::uint32_t thread) {
  Net solo{.name = net.name, .places = net.places};
  const std::string owner = thread_name(thread + 1);
  const auto keep_own = [&](const std::vector<Arc>& arcs) {
    std::vector<Arc> kept;
    std::copy_if(arcs.begin(), arcs.end(), std::back_inserter(kept),
                 [&](const Arc& arc) { return net.places[arc.place].owner == owner; });
    return kept;
  };
  for (const NetTransition& transition : net.transitions) {
    if (transition.owner != owner) continue;
    NetTransition kept = transition;
    kept.pre = keep_own(transition.pre);
    kept.post = keep_own(transition.post);
    solo.transitions.push_back(std::move(kept));
  }
  return solo;
}

}  // namespace

absl::StatusOr<WatchedNet> WatchedNet::read(const std::string& pnml) {
  std::istringstream text(pnml);
  absl::StatusOr<Net> net = read_pnml(text, "net");
  if (!net.ok()) return net.status();
  return watch(*std::move(net));
}

absl::StatusOr<WatchedNet> WatchedNet::watch(Net net) {
  WatchedNet watched(std::move(net));
  watched.set_cleanups_apart();
  watched.find_locks();
  if (watched.locks_.empty()) {
    return absl::InvalidArgumentError(
        "no transition of the net has the event 'thread 1 acquires …', so no lock can be checked "
        "against it; docs/petri.md lists the events");
  }
  watched.find_threads();
  for (std::uint32_t lock = 0; lock < watched.locks_.size(); ++lock) {
    watched.capacities_.push_back(watched.measured_capacity(lock));
  }
  for (std::uint32_t place = 0; place < watched.net_.places.size(); ++place) {
    if (watched.net_.places[place].absence) watched.absences_.push_back(place);
  }
  return watched;
}

void WatchedNet::set_cleanups_apart() {
  for (std::uint32_t t = 0; t < net_.transitions.size(); ++t) {
    std::optional<NetEvent>& event = net_.transitions[t].event;
    if (!event || event->verb != NetEvent::kClears) continue;
    event.reset();
    cleanup_transitions_.push_back(t);
  }
}

void WatchedNet::find_locks() {
  for (const NetTransition& transition : net_.transitions) {
    const std::optional<NetEvent>& event = transition.event;
    if (!event || event->thread != 1 || event->verb != NetEvent::kAcquires) continue;
    if (std::find(locks_.begin(), locks_.end(), event->lock) == locks_.end()) {
      locks_.push_back(event->lock);
    }
  }
}

void WatchedNet::find_threads() {
  const auto acts = [this](std::uint32_t thread) {
    return std::any_of(net_.transitions.begin(), net_.transitions.end(),
                       [thread](const NetTransition& transition) {
                         return transition.event && transition.event->thread == thread + 1;
                       });
  };
  for (std::uint32_t thread = 0; acts(thread); ++thread) solos_.push_back(alone(net_, thread));
}

std::uint32_t WatchedNet::measured_capacity(std::uint32_t lock) const {
  std::vector<NetEvent> events;
  for (std::uint32_t thread = 0; thread < threads(); ++thread) {
    events.push_back(acquires(thread, lock));
    if (!replay(net_, events).conforms) events.pop_back();
  }
  return static_cast<std::uint32_t>(events.size());
}

NetEvent WatchedNet::acquires(std::uint32_t thread, std::uint32_t lock) const {
  return {.thread = thread + 1, .verb = NetEvent::kAcquires, .lock = locks_[lock]};
}

NetEvent WatchedNet::releases(std::uint32_t thread, std::uint32_t lock) const {
  return {.thread = thread + 1, .verb = NetEvent::kReleases, .lock = locks_[lock]};
}

NetEvent WatchedNet::expires(std::uint32_t thread) {
  return {.thread = thread + 1, .verb = NetEvent::kExpires};
}

NetEvent WatchedNet::dies(std::uint32_t thread) {
  return {.thread = thread + 1, .verb = NetEvent::kDies};
}

bool WatchedNet::is_mortal() const {
  return std::any_of(net_.transitions.begin(), net_.transitions.end(),
                     [](const NetTransition& transition) { return transition.event == dies(0); });
}

std::vector<std::uint32_t> WatchedNet::in_order(std::uint32_t thread,
                                                std::vector<std::uint32_t> locks) const {
  std::sort(locks.begin(), locks.end());
  locks.erase(std::unique(locks.begin(), locks.end()), locks.end());
  if (locks.size() < 2) return locks;
  const std::vector<NetEvent> upwards{acquires(thread, locks[0]), acquires(thread, locks[1])};
  if (!replay(solos_[thread], upwards).conforms) std::reverse(locks.begin(), locks.end());
  return locks;
}

}  // namespace lockbench::stress
