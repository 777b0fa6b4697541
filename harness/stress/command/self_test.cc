// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/self_test.h"

#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/base/exit_code.h"
#include "harness/stress/command/engines.h"
#include "harness/stress/command/matrix.h"
#include "harness/stress/command/text.h"
#include "harness/stress/command/verdict.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

class SelfTest {
 public:
  explicit SelfTest(const StressWork& work) : work_(work), live_(work.jobs.size()) {}

  int run() {
    const Clock::time_point began = Clock::now();
    std::uint64_t rounds = 0;
    do {
      if (const std::optional<int> code = go_round(rounds)) {
        if (!work_.options.json && !entries_.empty())
          print_rounds(rounds, " and a part of one, unfinished");
        return *code;
      }
      ++rounds;
    } while (has_time_for_another_round(Clock::now() - began, rounds, work_.options.budget));
    if (!work_.options.json) print_rounds(rounds, "");
    return live_.failures == 0 ? kSuccess : kFound;
  }

 private:
  // Reruns are off, because one failure of a lock is enough.
  std::optional<int> go_round(std::uint64_t round) {
    stress::Order order = work_.options.order;
    order.seed += round;
    order.reruns = 0;
    for (std::size_t i = 0; i < work_.jobs.size(); ++i) {
      const TestJob& job = work_.jobs[i];
      const Answer answer = ask(job, order, [&](std::string_view out) { live_.show(job, i, out); });
      live_.leave();
      const std::string where =
          absl::StrCat("in ", position_text(job, i, work_.jobs.size()), " of round ", round + 1);
      if (const std::optional<int> code = end_for(answer, where)) return code;
      const Kill kill =
          answer.engine_failed ? Kill::kEngineFailed : kill_result(job.lock, answer.report);
      live_.failures += !passes(kill);
      if (work_.options.json) std::cout << to_json(answer.report) << std::endl;
      entries_.push_back({job, answer.report, kill});
      last_seed_ = order.seed;
    }
    return std::nullopt;
  }

  // `rounds`: the number of complete rounds.
  void print_rounds(std::uint64_t rounds, const char* unfinished) const {
    const std::uint64_t first = work_.options.order.seed;
    std::cout << kill_matrix(entries_) << kill_summary(entries_)
              << absl::StrFormat("%d rounds%s, seeds %d to %d, %s\n", rounds, unfinished, first,
                                 last_seed_, work_.machine);
  }

  const StressWork& work_;
  StressLive live_;  // its failures: jobs with an unexpected result
  std::vector<KillEntry> entries_;
  std::uint64_t last_seed_ = 0;  // the seed of the last entry
};

}  // namespace

int test_engines(const StressWork& work) {
  return SelfTest(work).run();
}

}  // namespace lockbench
