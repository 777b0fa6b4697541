// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/machine_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/bench/record/machine_json.h"
#include "harness/bench/record/schema.h"

namespace lockbench {
namespace {

Machine example() {
  return {.host = "node7",
          .boot_id = "b1",
          .cpu_model = "A processor",
          .cores = 4,
          .hardware_threads = 8,
          .usable_threads = 8,
          .governor = "performance",
          .kernel = "Linux 6.1",
          .hypervisor = "KVM",
          .memory_bytes = 1ULL << 34};
}

TEST(MachineIdentity, EachConditionTellsMachinesApart) {
  using nlohmann::json;
  const json members = internal::json_of(example());
  const json core_kinds = {internal::json_of(MachineCores{.kind = "slow", .cores = 4})};
  for (const std::string_view name : kMachineConditions) {
    json changed = members;
    if (changed.contains(name)) {
      changed.erase(std::string(name));
    } else {
      changed[std::string(name)] = name == "cpuset"       ? json("0-3")
                                   : name == "core_kinds" ? core_kinds
                                                          : json(1u);
    }
    changed["caches"] = json::array();
    const auto other = internal::read_record<Machine>(changed, "machine").value();
    EXPECT_THAT(machine_difference(example(), other), testing::StartsWith(std::string(name)));
    EXPECT_NE(machine_id(example()), machine_id(other)) << name;
  }
}

TEST(MachineIdentity, AnAffinityMaskMakesAnotherMachine) {
  Machine bound = example();
  bound.usable_threads = 1;
  EXPECT_EQ(machine_difference(example(), bound), "usable_threads 8 and 1");
}

TEST(MachineIdentity, ALimitIsACondition) {
  Machine limited = example();
  limited.cpu_quota = 0.5;
  EXPECT_EQ(machine_difference(example(), limited), "cpu_quota none and 0.5");
  Machine elsewhere = example();
  elsewhere.cpuset = "0-3";
  EXPECT_EQ(machine_difference(elsewhere, example()), "cpuset 0-3 and none");
}

TEST(MachineIdentity, AllConditionsInWhichMachinesDifferAreTold) {
  Machine other = example();
  other.boot_id = "b2";
  other.governor = "powersave";
  other.cores.reset();
  EXPECT_THAT(condition_differences(example(), other),
              testing::ElementsAre("cores 4 and unknown", "governor performance and powersave"));
  EXPECT_THAT(condition_differences(other, other), testing::IsEmpty());
}

TEST(MachineIdentity, ItsBootIdOrItsNameIsEnough) {
  Machine restarted = example();
  restarted.boot_id = "b2";
  EXPECT_EQ(machine_difference(example(), restarted), "");
  EXPECT_EQ(machine_id(example()), machine_id(restarted));
  Machine container = example();
  container.host = "3f2a9c";
  EXPECT_EQ(machine_difference(example(), container), "");
  Machine twin = restarted;
  twin.host = "node8";
  EXPECT_EQ(machine_difference(example(), twin), "host node7 and node8");
}

TEST(MachineIdentity, NamesThatAnOlderVersionDidNotRecordAreNotCompared) {
  Machine older = example();
  older.boot_id.reset();
  older.host.reset();
  EXPECT_EQ(machine_difference(older, example()), "");
}

TEST(MachineIdentity, TheIdIsTheNameAndAHashOfTheConditions) {
  Machine odd = example();
  odd.host = "a b/c,\"d";
  EXPECT_THAT(machine_id(odd), testing::MatchesRegex("a-b-c--d-[0-9a-f]{6}"));
  EXPECT_THAT(machine_id({}), testing::MatchesRegex("machine-[0-9a-f]{6}"));
  EXPECT_EQ(read_machine().id, machine_id(read_machine()));
}

TEST(MachineIdentity, IsInTheSchemaForReadersInOtherLanguages) {
  const nlohmann::json identity = nlohmann::json::parse(schema_json())["machine_identity"];
  EXPECT_EQ(identity["conditions"], nlohmann::json(kMachineConditions));
  EXPECT_EQ(identity["names"], nlohmann::json(kMachineNames));
}

}  // namespace
}  // namespace lockbench
