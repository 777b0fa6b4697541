// SPDX-License-Identifier: Apache-2.0

// The lines that the trace of a failure shows.
#include "harness/services/engine/trace.h"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress::services {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kMs = 1'000'000;

std::vector<Act> holds_of_another(std::uint64_t count, std::uint64_t since_ms) {
  std::vector<Act> acts;
  for (std::uint64_t i = 0; i < count; ++i) {
    acts.push_back({.kind = Act::kWrites, .client = 1, .number = i, .at_ns = (since_ms + i) * kMs});
  }
  return acts;
}

TEST(ServicesTrace, HasTheHoldThatWentWrongAndTheFaultsAndWhoWroteMeanwhile) {
  const std::vector<Act> acts = {
      {.kind = Act::kWrites, .client = 1, .number = 3, .at_ns = 10 * kMs},  // before it
      {.kind = Act::kRequests, .client = 0, .at_ns = 11 * kMs},
      {.kind = Act::kAcquires, .client = 0, .number = 17, .at_ns = 12 * kMs},
      {.kind = Act::kReads, .client = 0, .number = 3, .at_ns = 13 * kMs},
      {.kind = Act::kWrites, .client = 1, .number = 4, .at_ns = 200 * kMs},
      {.kind = Act::kWrites, .client = 1, .key = 1, .number = 9, .at_ns = 201 * kMs},
      {.kind = Act::kOverwrites, .client = 0, .number = 4, .at_ns = 300 * kMs},
      {.kind = Act::kReleases, .client = 0, .at_ns = 301 * kMs},  // after it
  };
  const std::vector<FaultNote> faults = {{14 * kMs, "SIGSTOP of client 0"}, {400 * kMs, "late"}};
  const auto steps = trace_of(acts, faults, 0, 0, 10 * kMs, 300 * kMs);
  EXPECT_THAT(
      lines_of(steps),
      ElementsAre("1.000 ms, client 0 requests key 0",
                  "2.000 ms, client 0 acquires key 0 with token 17",
                  "3.000 ms, client 0 reads 3 under key 0", "4.000 ms, fault: SIGSTOP of client 0",
                  "190.000 ms, client 1 writes 4 under key 0",
                  "290.000 ms, client 0 writes 4 under key 0 over what others wrote  "
                  "<-- here it goes wrong"));
}

TEST(ServicesTrace, HasWhoHeldTheKeyWhenTheClientRequestedIt) {
  std::vector<Act> acts;
  for (const auto& [client, requested, released] :
       {std::tuple(1, 1, 30), std::tuple(2, 2, 9), std::tuple(0, 20, 40)}) {
    const Take hold{.thread = static_cast<std::uint32_t>(client),
                    .requested = static_cast<std::int64_t>(requested * kMs),
                    .answered = static_cast<std::int64_t>((requested + 1) * kMs),
                    .unlock_began = static_cast<std::int64_t>(released * kMs)};
    for (const Act& act : acts_of(hold)) acts.push_back(act);
  }
  EXPECT_THAT(lines_of(trace_of(acts, {}, 0, 0, 0, 21 * kMs)),
              ElementsAre("2.000 ms, client 1 acquires key 0", "20.000 ms, client 0 requests key 0",
                          "21.000 ms, client 0 acquires key 0  <-- here it goes wrong"));
}

TEST(ServicesTrace, LeavesOutTheMiddleOfWhatOthersDid) {
  std::vector<Act> acts = holds_of_another(100, 20);
  acts.push_back({.kind = Act::kRequests, .client = 0, .at_ns = 1 * kMs});
  const auto steps = trace_of(acts, {}, 0, 0, 0, 1000 * kMs);
  ASSERT_EQ(steps.size(), 25U);
  EXPECT_THAT(steps[13].text, HasSubstr("writes 12 under key 0; then 76 such acts of others"));
}

}  // namespace
}  // namespace lockbench::stress::services
