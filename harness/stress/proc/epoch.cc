// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/epoch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sys/wait.h>
#include <vector>

#include "harness/stress/proc/children.h"
#include "harness/stress/proc/crew.h"
#include "harness/stress/real/standstill.h"
#include "harness/stress/real/task_state.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::proc {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Longer than any lock here sleeps between two looks.
constexpr milliseconds kPatience{500};
constexpr microseconds kTick{500};

void sleep_a_tick() {
  platform::sleep_until(platform::now() + kTick);
}

class Epoch {
 public:
  Epoch(const Stage& stage, Deeds& deeds)
      : stage_(stage), board_(stage.board), crew_(stage), nemesis_(stage, crew_, deeds) {}

  bool run() {
    for (std::uint32_t seat = 0; seat < stage_.plan.processes; ++seat) crew_.start(seat);
    put(board_.go, 1);
    const platform::Time end = platform::now() + stage_.plan.length;
    while (platform::now() < end) {
      if (crew_.collect()) return false;
      nemesis_.act();
      sleep_a_tick();
    }
    nemesis_.let_all_go_on();
    put(board_.stop, 1);
    return await_all() && updates_are_kept() && all_is_free();
  }

 private:
  bool await_all() {
    std::vector<real::Standstill> standstills(kMostSeats, real::Standstill(kPatience));
    while (!crew_.collect()) {
      nemesis_.look_for_recoveries();
      const std::vector<std::uint32_t> left = crew_.living();
      if (left.empty()) {
        asked(Oracle::kProgress);
        return true;
      }
      // All of them, so that each is asked.
      const auto still = std::count_if(left.begin(), left.end(), [&](std::uint32_t seat) {
        const pid_t process = crew_.process(seat);
        return standstills[seat].reached(events(), process, real::tasks_of(process));
      });
      if (static_cast<std::size_t>(still) == left.size()) {
        tell_standstill(left);
        return false;
      }
      sleep_a_tick();
    }
    return false;
  }

  std::uint64_t events() const {
    std::uint64_t events = crew_.living().size();
    for (const Seat& seat : board_.seats) events += get(seat.events);
    return events;
  }

  void tell_standstill(const std::vector<std::uint32_t>& left) {
    const std::uint32_t seat = left.front();
    const Deed doing = unpack(get(board_.seats[seat].doing));
    const std::uint64_t inside = get(board_.places[doing.key].inside);
    board_.note(
        {.fault = Charge::kStandstill,
         .seat = static_cast<std::uint8_t>(seat),
         .other = inside == kNobody ? kNoSeat : static_cast<std::uint8_t>(name_from(inside).seat),
         .key = static_cast<std::uint8_t>(doing.key),
         .x = inside != kNobody && board_.was_killed(inside)});
  }

  // What a process had begun when it was killed may have been done or not.
  bool updates_are_kept() {
    for (std::uint32_t key = 0; key < stage_.plan.keys; ++key) {
      std::uint64_t begun = 0;
      std::uint64_t done = 0;
      for (const Seat& seat : board_.seats) {
        begun += get(seat.begun[key]);
        done += get(seat.done[key]);
      }
      const std::uint64_t number = stage_.numbers[key]->read().value_or(0);
      asked(Oracle::kConservation);
      if (number >= done && number <= begun) continue;
      const bool lost = number < done;
      board_.note({.fault = lost ? Charge::kUpdatesLost : Charge::kUpdatesMore,
                   .key = static_cast<std::uint8_t>(key),
                   .x = static_cast<std::uint32_t>(lost ? done - number : number - begun)});
      return false;
    }
    return true;
  }

  // Every key can be had, by a process that was not there before; and while one is held, the others
  // can, if each is to have a lock of its own.
  bool all_is_free() {
    const pid_t checker = start_child([this] { check(); });
    real::Standstill standstill(kPatience);
    int status = 0;
    bool ended = false;
    while (!ended && !standstill.reached(get(board_.checking), checker, real::tasks_of(checker))) {
      ended = waitpid(checker, &status, WNOHANG) == checker;
      if (!ended) sleep_a_tick();
    }
    if (!ended) {
      kill(checker, SIGKILL);
      waitpid(checker, nullptr, 0);
      board_.note({.fault = Charge::kNoReturn});
    } else if (WIFSIGNALED(status)) {
      const auto signal = static_cast<std::uint32_t>(WTERMSIG(status));
      board_.note({.fault = Charge::kDied, .seat = kNoSeat, .x = signal});
    }
    asked(Oracle::kResidue);
    if (stage_.abilities.lock_per_key) asked(Oracle::kIndependence);
    return board_.noted().fault == Charge::kNone;
  }

  void check() {
    for (std::uint32_t key = 0; key <= stage_.plan.keys; ++key) {
      const std::unique_ptr<Claim> claim = stage_.suspect->claim(key);
      if (!try_or_note(*claim, {.fault = Charge::kNotFree, .key = number(key)})) return;
      claim->unlock();
    }
    if (!stage_.abilities.lock_per_key) return;
    std::vector<std::unique_ptr<Claim>> held;
    for (std::uint32_t key = 0; key <= stage_.plan.keys; ++key) {
      held.push_back(stage_.suspect->claim(key));
      if (!try_or_note(*held.back(), {.fault = Charge::kDependent, .other = number(key)})) return;
    }
    for (const auto& claim : held) claim->unlock();
  }

  bool try_or_note(Claim& claim, const Charge& charge) {
    add(board_.checking);
    const bool had = claim.try_lock();
    if (!had) board_.note(charge);
    return had;
  }

  static std::uint8_t number(std::uint32_t key) { return static_cast<std::uint8_t>(key); }

  void asked(Oracle oracle) { add(board_.seats[0].evaluations[static_cast<std::size_t>(oracle)]); }

  const Stage& stage_;
  Board& board_;
  Crew crew_;
  Nemesis nemesis_;
};

// What belongs to one epoch alone.
void wipe(Board& board) {
  put(board.go, 0);
  put(board.stop, 0);
  put(board.checking, 0);
  put(board.began_ns, static_cast<std::uint64_t>(now_ns()));
  for (Place& place : board.places) put(place.inside, kNobody);
  for (Seat& seat : board.seats) {
    for (Word& begun : seat.begun) put(begun, 0);
    for (Word& done : seat.done) put(done, 0);
    put(seat.stopped, 0);
    put(seat.doing, 0);
  }
}

}  // namespace

bool run_epoch(Board& board, const Lineup& lineup, const EpochPlan& plan, Deeds& deeds) {
  wipe(board);
  const Stage stage(board, lineup, plan);
  return Epoch(stage, deeds).run();
}

}  // namespace lockbench::stress::proc
