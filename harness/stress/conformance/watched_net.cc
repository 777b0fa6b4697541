// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/watched_net.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <absl/status/status.h>

#include "harness/petri/pnml.h"
#include "harness/petri/replay.h"

namespace lockbench::stress {
namespace {

constexpr char kTakes[] = "takes ";
constexpr char kLetsGo[] = "lets go of ";
constexpr char kClears[] = " clears ";
constexpr char kAbsent[] = "nothing is kept of ";

std::string subject(std::uint32_t thread) {
  return "thread " + std::to_string(thread + 1) + " ";
}

// The net without what is not this thread's own.
Net alone(const Net& net, std::uint32_t thread) {
  Net solo{.name = net.name, .places = net.places};
  const std::string own = subject(thread);
  const auto keep_own = [&](const std::vector<Arc>& arcs) {
    std::vector<Arc> kept;
    std::copy_if(arcs.begin(), arcs.end(), std::back_inserter(kept),
                 [&](const Arc& arc) { return words_of(net.places[arc.place]).starts_with(own); });
    return kept;
  };
  for (const NetTransition& transition : net.transitions) {
    if (!words_of(transition).starts_with(own)) continue;
    NetTransition kept = transition;
    kept.takes = keep_own(transition.takes);
    kept.gives = keep_own(transition.gives);
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
  watched.hide_rescues();
  watched.find_locks();
  if (watched.locks_.empty()) {
    return absl::InvalidArgumentError(
        "no transition of the net has the event 'thread 1 takes …', so that no lock can be held "
        "against it; docs/petri.md says how events are named");
  }
  watched.find_threads();
  for (std::uint32_t lock = 0; lock < watched.locks_.size(); ++lock) {
    watched.capacities_.push_back(watched.measured_capacity(lock));
  }
  for (std::uint32_t place = 0; place < watched.net_.places.size(); ++place) {
    if (words_of(watched.net_.places[place]).starts_with(kAbsent))
      watched.absences_.push_back(place);
  }
  return watched;
}

void WatchedNet::hide_rescues() {
  for (std::uint32_t t = 0; t < net_.transitions.size(); ++t) {
    std::string& event = net_.transitions[t].event;
    if (event.find(kClears) == std::string::npos) continue;
    event.clear();
    rescues_.push_back(t);
  }
}

void WatchedNet::find_locks() {
  const std::string beginning = subject(0) + kTakes;
  for (const NetTransition& transition : net_.transitions) {
    if (!transition.event.starts_with(beginning)) continue;
    std::string lock = transition.event.substr(beginning.size());
    if (std::find(locks_.begin(), locks_.end(), lock) == locks_.end()) {
      locks_.push_back(std::move(lock));
    }
  }
}

void WatchedNet::find_threads() {
  const auto acts = [this](std::uint32_t thread) {
    return std::any_of(net_.transitions.begin(), net_.transitions.end(),
                       [own = subject(thread)](const NetTransition& transition) {
                         return transition.event.starts_with(own);
                       });
  };
  for (std::uint32_t thread = 0; acts(thread); ++thread) solos_.push_back(alone(net_, thread));
}

std::uint32_t WatchedNet::measured_capacity(std::uint32_t lock) const {
  std::vector<std::string> events;
  for (std::uint32_t thread = 0; thread < threads(); ++thread) {
    events.push_back(takes(thread, lock));
    if (!replay(net_, events).conforms) events.pop_back();
  }
  return static_cast<std::uint32_t>(events.size());
}

std::string WatchedNet::takes(std::uint32_t thread, std::uint32_t lock) const {
  return subject(thread) + kTakes + locks_[lock];
}

std::string WatchedNet::lets_go(std::uint32_t thread, std::uint32_t lock) const {
  return subject(thread) + kLetsGo + locks_[lock];
}

std::string WatchedNet::expires(std::uint32_t thread) {
  return subject(thread) + "expires";
}

std::string WatchedNet::dies(std::uint32_t thread) {
  return subject(thread) + "dies";
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
  const std::vector<std::string> upwards{takes(thread, locks[0]), takes(thread, locks[1])};
  if (!replay(solos_[thread], upwards).conforms) std::reverse(locks.begin(), locks.end());
  return locks;
}

}  // namespace lockbench::stress
