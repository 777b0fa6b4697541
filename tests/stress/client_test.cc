// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/client.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/internal/wait_queue.h"

namespace lockbench::stress {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kThreads = 4;

TEST(Client, IsWrittenAndReadAgain) {
  const std::string text = "L0 R500 U | T1 L0 U E | W0:2000000 U | B0+1 U A0 F1";
  const absl::StatusOr<Client> client = client_from(text, kThreads);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(to_text(*client), text);
  EXPECT_EQ(client->keys(), 2U);
}

// Such are left when a client is made smaller: a thread fewer would be another client.
TEST(Client, KeepsAThreadThatDoesNothing) {
  for (const std::string text : {"| L0 U", "| | L0 U", "L0 U | | L0 U", "L0 U |", "| |"}) {
    const absl::StatusOr<Client> client = client_from(text, kThreads);
    ASSERT_TRUE(client.ok()) << client.status();
    EXPECT_EQ(to_text(*client), text);
  }
}

TEST(Client, FindsTheEndOfAHoldAcrossNests) {
  const Client client = *client_from("L0 T1 U L0 U U L1 U", kThreads);
  EXPECT_EQ(end_of_hold(client.threads[0], 0), 5U);
  EXPECT_EQ(end_of_hold(client.threads[0], 1), 2U);
  EXPECT_EQ(end_of_hold(client.threads[0], 6), 7U);
}

TEST(Client, AwaitsTheSameThreadsWhenOneIsLeftOut) {
  const Client client = *client_from("L0 A3 U | L1 U | A1 L0 U | A0 L2 U", kThreads);
  EXPECT_EQ(to_text(without_thread(client, 1)), "L0 A2 U | L0 U | A0 L2 U");
  EXPECT_EQ(to_text(without_thread(client, 3)), "L0 U | L1 U | A1 L0 U");
}

struct Malformed {
  const char* text;
  const char* complaint;
};

class MalformedClient : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedClient, IsRefusedWithWhereAndWhat) {
  const absl::StatusOr<Client> client = client_from(GetParam().text, kThreads);
  ASSERT_EQ(client.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(client.status().message()), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Client, MalformedClient,
    ::testing::Values(Malformed{"L0 U | X0 U", "thread 1, `X0`: no act"},
                      Malformed{"L U", "`L`: no act"}, Malformed{"B0 U", "`B0`: no act"},
                      Malformed{"W0 U", "`W0`: no act"}, Malformed{"R-5", "`R-5`: no act"},
                      Malformed{"L0x U", "`L0x`: no act"}, Malformed{"L99999999999 U", "no act"},
                      Malformed{"U L0", "`U`: gives back what was not taken"},
                      Malformed{"L0 | L0 U", "ends before it gave everything back"},
                      Malformed{"L0 U L0", "ends before it gave everything back"},
                      Malformed{"L0 A2 U | L0 U", "thread 0: awaits a thread that there is not"},
                      Malformed{"L0 U | L0 A1 U", "thread 1: awaits its own end"},
                      Malformed{"R1 | R1 | R1 | R1 | R1", "5 threads; at most 4"}));

// A thread may hold two keys only where the suspect can bear it, and then in ascending order.
TEST(DrawnClients, NestOnlyWhatTheSuspectCanBear) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Abilities plain{};
    const Client client = draw_client(plain, {.threads = 3, .keys = 3, .holds = 3}, seed);
    for (const auto& acts : client.threads) {
      for (std::size_t i = 0; i < acts.size(); ++i) {
        EXPECT_NE(acts[i].kind, Act::kTakeFor);
        EXPECT_NE(acts[i].kind, Act::kTakeBoth);
        if (!takes(acts[i].kind)) continue;
        for (std::size_t j = i + 1; j < end_of_hold(acts, i); ++j)
          EXPECT_FALSE(takes(acts[j].kind));
      }
    }
  }
}

TEST(DrawnClients, TakeNestedKeysInAscendingOrder) {
  const Abilities nesting{.lock_per_key = true, .nests_keys = true};
  bool nested = false;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Client client = draw_client(nesting, {.threads = 2, .keys = 3, .holds = 3}, seed);
    for (const auto& acts : client.threads) {
      for (std::size_t i = 0; i < acts.size(); ++i) {
        if (!takes(acts[i].kind)) continue;
        for (std::size_t j = i + 1; j < end_of_hold(acts, i); ++j) {
          if (!takes(acts[j].kind)) continue;
          nested = true;
          EXPECT_GT(acts[j].key, acts[i].key) << to_text(client);
        }
      }
    }
  }
  EXPECT_TRUE(nested);
}

// Where each key has a lock of its own and one holder, the one that is awaited keeps to other keys;
// where leases are left it may want the same key. Whatever is nested, or taken at once, could be in
// its way by right.
TEST(DrawnClients, AwaitOnlyWhoIsServedMeanwhile) {
  const Abilities keys{.timed = true, .lock_per_key = true, .pairs = true, .nests_keys = true};
  Abilities leases{.leases = true, .nests_leases = true};
  leases.capacity = 2;
  for (const Abilities& abilities : {keys, leases}) {
    bool meet = false;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const Client client =
          draw_client(abilities, {.threads = 4, .keys = 2, .holds = 2, .awaits = true}, seed);
      const Act* awaited = nullptr;
      std::uint32_t held = 0;
      for (const auto& acts : client.threads) {
        for (std::size_t i = 0; i < acts.size(); ++i) {
          EXPECT_NE(acts[i].kind, Act::kTakeBoth);
          if (takes(acts[i].kind)) {
            EXPECT_TRUE(i + 1 == acts.size() || !takes(acts[i + 1].kind));
          }
          if (acts[i].kind != Act::kAwait) continue;
          EXPECT_EQ(awaited, nullptr) << to_text(client);
          awaited = &acts[i];
          held = acts[i - 1].key;
        }
      }
      ASSERT_NE(awaited, nullptr) << to_text(client);
      for (const Act& act : client.threads[awaited->key])
        meet |= takes(act.kind) && act.key == held;
    }
    EXPECT_EQ(meet, abilities.capacity > 1);
  }
}

TEST(DrawnClients, AwaitNobodyWhereThatCouldLastForEver) {
  const Abilities one_lock{};
  const Client client = draw_client(one_lock, {.threads = 4, .awaits = true}, 7);
  EXPECT_EQ(to_text(client).find('A'), std::string::npos);
}

// Else no lock would ever be seen to hand itself over.
TEST(DrawnClients, RestOnBothSidesOfAWaitersPatience) {
  bool shorter = false;
  bool longer = false;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const auto& acts : draw_client(Abilities{}, {.holds = 4}, seed).threads) {
      for (const Act& act : acts) {
        if (act.kind != Act::kRest || act.ns == 0) continue;
        const bool patient = platform::Duration(act.ns) <= internal::WaitQueue::kPatience;
        (patient ? shorter : longer) = true;
      }
    }
  }
  EXPECT_TRUE(shorter && longer);
}

TEST(DrawnClients, AreTheSameForTheSameSeed) {
  const Abilities all{.timed = true, .reentrant = true, .pairs = true};
  EXPECT_EQ(draw_client(all, {}, 7), draw_client(all, {}, 7));
  EXPECT_NE(draw_client(all, {}, 7), draw_client(all, {}, 8));
}

TEST(SmallClients, BeginWithThoseOfTheLineup) {
  const Lineup lineup{.name = "any", .clients = {"L3 U"}};
  EXPECT_EQ(to_text(clients_for(lineup).front()), "L3 U");
}

TEST(SmallClients, HaveSomebodyWhoCouldBeForgottenBehindEveryLease) {
  Lineup lineup{.name = "any"};
  lineup.abilities.capacity = 3;
  EXPECT_EQ(to_text(clients_for(lineup).back()), "L0 U | L0 U | L0 U | L0 A4 U | L0 U");
}

}  // namespace
}  // namespace lockbench::stress
