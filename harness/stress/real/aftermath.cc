// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/aftermath.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "harness/stress/real/history.h"

namespace lockbench::stress::real {
namespace {

class Aftermath {
 public:
  Aftermath(Stage& stage, const std::vector<std::unique_ptr<Worker>>& workers)
      : stage_(stage), workers_(workers) {}

  void look() {
    enter_phase(Board::kJudging);
    for (std::uint32_t key = 0; key < stage_.plan.keys; ++key) {
      for (std::uint32_t lease = 0; lease < stage_.capacity; ++lease) check_updates(key, lease);
    }
    check_history();
    enter_phase(Board::kChecking);
    check_residue();
    for (std::uint32_t key = 0; key < stage_.plan.keys; ++key) check_free(key);
    if (!stage_.lineup.abilities.lock_per_key) return;
    enter_phase(Board::kIndependence);
    check_independence();
  }

 private:
  void enter_phase(Board::Phase phase) {
    add(stage_.board.beat);
    put(stage_.board.phase, phase);
  }

  void count(Oracle oracle) {
    add(stage_.board.own_line().evaluations[static_cast<std::size_t>(oracle)]);
  }

  void check_updates(std::uint32_t key, std::uint32_t lease) {
    std::uint64_t made = 0;
    for (const auto& worker : workers_) made += worker->updates(key, lease);
    const std::uint64_t counted = stage_.watch(key, lease).count.read();
    count(Oracle::kConservation);
    if (made == counted) return;
    convict(stage_.board, {.oracle = Oracle::kConservation,
                           .fault = Charge::kUpdatesLost,
                           .key = key,
                           .lease = lease,
                           .x = made,
                           .y = counted});
  }

  void check_history() {
    History history;
    for (const auto& worker : workers_) {
      history.takes.insert(history.takes.end(), worker->takes().begin(), worker->takes().end());
      history.complete_until = std::min(history.complete_until, worker->complete_until());
    }
    Evaluations evaluations;
    const std::optional<Charge> charge = contradiction(
        history,
        {.capacity = stage_.capacity, .lock_per_key = stage_.lineup.abilities.lock_per_key},
        evaluations);
    add(stage_.board.own_line().evaluations[static_cast<std::size_t>(Oracle::kModel)],
        evaluations[Oracle::kModel]);
    if (charge) convict(stage_.board, *charge);
  }

  void check_residue() {
    const std::optional<std::size_t> kept = stage_.suspect.keys_kept();
    if (!kept || !stage_.lineup.abilities.reclaims) return;
    count(Oracle::kResidue);
    if (*kept == 0) return;
    convict(stage_.board, {.oracle = Oracle::kResidue, .fault = Charge::kKept, .x = *kept});
  }

  void check_free(std::uint32_t key) {
    std::vector<std::unique_ptr<Claim>> claims;
    for (std::uint32_t i = 0; i < stage_.capacity; ++i) {
      claims.push_back(stage_.suspect.claim(key));
      count(Oracle::kResidue);
      if (claims.back()->try_lock()) continue;
      convict(stage_.board, {.oracle = Oracle::kResidue,
                             .fault = Charge::kNotFree,
                             .key = key,
                             .x = i,
                             .y = stage_.capacity});
    }
    for (const auto& claim : claims) claim->unlock();
  }

  // Holds one key, the one that no thread used; another thread must get each of the others. If it
  // does not, the process that watches over this one says so.
  void check_independence() {
    const std::uint32_t held = stage_.plan.keys;
    put(stage_.board.held_key, held);
    std::vector<std::unique_ptr<Claim>> claims;
    for (std::uint32_t i = 0; i < stage_.capacity; ++i) {
      claims.push_back(stage_.suspect.claim(held));
      claims.back()->lock();
    }
    std::thread([&] {
      for (std::uint32_t key = 0; key < held; ++key) {
        put(stage_.board.asked_key, key);
        const std::unique_ptr<Claim> claim = stage_.suspect.claim(key);
        claim->lock();
        claim->unlock();
        count(Oracle::kIndependence);
        add(stage_.board.beat);
      }
    }).join();
    for (const auto& claim : claims) claim->unlock();
  }

  Stage& stage_;
  const std::vector<std::unique_ptr<Worker>>& workers_;
};

}  // namespace

void look_at_what_is_left(Stage& stage, const std::vector<std::unique_ptr<Worker>>& workers) {
  Aftermath(stage, workers).look();
}

}  // namespace lockbench::stress::real
