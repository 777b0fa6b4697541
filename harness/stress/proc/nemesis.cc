// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/nemesis.h"

#include <algorithm>

#include "harness/stress/proc/children.h"

namespace lockbench::stress::proc {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t kMostHoldsOfALife = 64;

}  // namespace

void Nemesis::act() {
  look_for_recoveries();
  if (stage_.plan.fate() == Fate::kChurn) fill_empty_seats();
  if (platform::now() < next_) return;
  if (stopped_) {
    let_all_go_on();
    next_ = platform::now() + microseconds(random_.below(3000));
    return;
  }
  strike();
}

void Nemesis::strike() {
  const Fate fate = stage_.plan.fate();
  if (fate == Fate::kNone || fate == Fate::kChurn) return;
  const std::optional<std::uint32_t> seat = victim();
  if (!seat) return;
  if (fate == Fate::kStop) {
    stop(*seat);
  } else {
    kill(*seat);
    next_ = platform::now() + microseconds(random_.below(6000));
  }
}

// Mostly one that is inside; none when there is no fit one.
std::optional<std::uint32_t> Nemesis::victim() {
  std::vector<std::uint32_t> seats = crew_.living();
  if (stage_.plan.fate() == Fate::kRecycle) {
    std::erase_if(seats, [&](std::uint32_t seat) {
      return !is_inside(seat) || !began_in_an_earlier_tick(crew_.process(seat));
    });
  }
  if (seats.empty()) return std::nullopt;
  if (random_.below(4) != 0) {
    const auto inside =
        std::find_if(seats.begin(), seats.end(), [&](std::uint32_t s) { return is_inside(s); });
    if (inside != seats.end()) return *inside;
  }
  return seats[random_.below(seats.size())];
}

bool Nemesis::is_inside(std::uint32_t seat) const {
  const std::uint64_t name = pack(Name{.seat = seat, .life = get(stage_.board.seats[seat].life)});
  for (std::uint32_t key = 0; key < stage_.plan.keys; ++key) {
    if (get(stage_.board.places[key].inside) == name) return true;
  }
  return false;
}

void Nemesis::kill(std::uint32_t seat) {
  const pid_t number = crew_.process(seat);
  const std::uint64_t name = pack(Name{.seat = seat, .life = get(stage_.board.seats[seat].life)});
  const std::uint64_t inside_before = deeds_.killed_inside;
  crew_.kill(seat);
  ++deeds_.killed;
  note_deaths(name);
  crew_.bury(seat);
  if (stage_.plan.fate() == Fate::kRecycle && deeds_.killed_inside != inside_before) {
    ++(crew_.recycle(number) ? deeds_.recycled : deeds_.not_recycled);
  }
  crew_.start(seat);
}

void Nemesis::note_deaths(std::uint64_t name) {
  for (std::uint32_t key = 0; key < stage_.plan.keys; ++key) {
    const Place& place = stage_.board.places[key];
    if (get(place.inside) != name) continue;
    ++deeds_.killed_inside;
    std::erase_if(deaths_, [&](const Death& d) { return d.key == key; });
    if (somebody_wants(key)) deaths_.push_back({key, get(place.entries), now_ns()});
  }
}

bool Nemesis::somebody_wants(std::uint32_t key) const {
  const std::vector<std::uint32_t> seats = crew_.living();
  return std::any_of(seats.begin(), seats.end(), [&](std::uint32_t seat) {
    const Deed doing = unpack(get(stage_.board.seats[seat].doing));
    return doing.what == Deed::kWants && doing.key == key;
  });
}

void Nemesis::look_for_recoveries() {
  std::erase_if(deaths_, [&](const Death& death) {
    const Place& place = stage_.board.places[death.key];
    if (get(place.entries) == death.entries) return false;
    deeds_.recoveries_ns.push_back(now_ns() - death.died_ns);
    return true;
  });
}

void Nemesis::stop(std::uint32_t seat) {
  crew_.stop(seat);
  stopped_ = seat;
  ++deeds_.stopped;
  deeds_.stopped_inside += is_inside(seat);
  next_ = platform::now() + milliseconds(10 + random_.below(20));
}

void Nemesis::let_all_go_on() {
  if (stopped_) crew_.go_on(*stopped_);
  stopped_.reset();
}

void Nemesis::fill_empty_seats() {
  for (std::uint32_t seat = 0; seat < stage_.plan.processes; ++seat) {
    if (crew_.alive(seat)) continue;
    crew_.start(seat, 1 + random_.below(kMostHoldsOfALife));
    ++deeds_.ended;
  }
}

}  // namespace lockbench::stress::proc
