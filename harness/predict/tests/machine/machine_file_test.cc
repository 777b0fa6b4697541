// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/machine/machine_file.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/predict/tests/machine/model_of_four.h"

namespace lockbench::machine {
namespace {

// The file of model_of_four(), with one piece replaced.
std::string file_with(const std::string& piece, const std::string& other) {
  std::string text = machine_toml(model_of_four());
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece << " is not in\n" << text;
  return text.replace(at, piece.size(), other);
}

std::string error_in(const std::string& toml) {
  const absl::StatusOr<MachineModel> model = parse_machine(toml, "folder/a.toml");
  return model.ok() ? "no error" : std::string(model.status().message());
}

TEST(MachineFile, IsReadAsItWasWritten) {
  MachineModel model = model_of_four();
  model.name = "a";
  model.title = "with \"quotes\" and \\";
  model.sockets = 2;
  model.cores_per_cluster = 2;
  model.threads_per_core = 2;
  model.sibling_latency = 6 * kNs;
  model.smt_slowdown = 1.25;
  model.quiet = 0.65;
  model.reads_take = true;
  model.access.lookahead = 30 * kNs;
  const MachineModel read = parse_machine(machine_toml(model), "folder/a.toml").value();
  EXPECT_EQ(read, model);
}

TEST(MachineFile, LevelsGiveTheLatenciesOfAllPairs) {
  const std::string matrix = machine_toml(model_of_four());
  const std::size_t begin = matrix.find("matrix");
  const std::string levels = file_with(matrix.substr(begin, matrix.find("]\n\n") + 2 - begin),
                                       "cluster = 20\nsocket = 50\nmachine = 90\n");
  std::string text = levels;
  text.replace(text.find("sockets = 1"), 11, "sockets = 2");
  text.replace(text.find("clusters_per_socket = 1"), 23, "clusters_per_socket = 2");
  text.replace(text.find("cores_per_cluster = 4"), 21, "cores_per_cluster = 2");
  const MachineModel model = parse_machine(text, "a.toml").value();
  EXPECT_EQ(model.cores(), 8u);
  EXPECT_EQ(model.between(0, 1), 20 * kNs);
  EXPECT_EQ(model.between(1, 2), 50 * kNs);
  EXPECT_EQ(model.between(7, 0), 90 * kNs);
  EXPECT_EQ(model.between(3, 3), 0);
}

// model_of_four() with two fast cores of two threads and two slow ones.
MachineModel two_kinds() {
  MachineModel model = model_of_four();
  model.name = "a";
  model.threads_per_core = 2;
  model.kinds = {{.name = "fast", .cores = 2, .threads_per_core = 2},
                 {.name = "slow", .cores = 2, .threads_per_core = 1, .speed = 0.5}};
  return model;
}

TEST(MachineFile, KindsOfCoresAreReadAsTheyWereWritten) {
  const MachineModel model = two_kinds();
  const MachineModel read = parse_machine(machine_toml(model), "folder/a.toml").value();
  EXPECT_EQ(read, model);
  EXPECT_EQ(read.processors(), 6U);
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < read.processors(); ++i) ranks.push_back(read.rank_of(i));
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(read.speed_of(3), 0.5);
}

TEST(MachineFile, LatenciesOfKindsAreThoseOfTheirCores) {
  std::string text = machine_toml(two_kinds());
  const std::size_t begin = text.find("matrix");
  text.replace(begin, text.find("]\n\n") + 2 - begin, "kinds = [[20, 30], [30, 40]]\n");
  const MachineModel model = parse_machine(text, "a.toml").value();
  EXPECT_EQ(model.between(0, 1), 20 * kNs);
  EXPECT_EQ(model.between(1, 2), 30 * kNs);
  EXPECT_EQ(model.between(3, 2), 40 * kNs);
  EXPECT_EQ(model.between(5, 3), 30 * kNs);  // the second thread of core 1
}

struct WrongKind {
  MachineModel model;
  std::string error;
};

MachineModel with_kinds(std::vector<KindOfCores> kinds) {
  MachineModel model = two_kinds();
  model.kinds = std::move(kinds);
  return model;
}

TEST(MachineFile, KindsThatContradictEachOtherAreErrors) {
  const KindOfCores fast{.name = "fast", .cores = 2};
  const KindOfCores slow{.name = "slow", .cores = 2, .speed = 0.5};
  KindOfCores more = slow;
  more.cores = 3;
  KindOfCores two_threads = slow;
  two_threads.threads_per_core = 2;
  for (const auto& [model, error] : std::vector<WrongKind>{
           {with_kinds({fast}), "kind wants two tables or more"},
           {with_kinds({fast, more}), "the kinds have 5 cores, and the topology 4"},
           {with_kinds({slow, fast}), "the first kind is the fastest: its speed is 1"},
           {with_kinds({fast, two_threads}), "a kind with more threads in a core comes before"},
       }) {
    EXPECT_THAT(error_in(machine_toml(model)), testing::HasSubstr(error));
  }
  EXPECT_THAT(error_in(file_with("matrix = [", "kinds = [[1]]\nmatrix = [")),
              testing::HasSubstr("has no meaning beside matrix"));
}

struct Wrong {
  std::string piece;
  std::string other;
  std::string error;
};

class MachineFileErrors : public testing::TestWithParam<Wrong> {};

TEST(MachineFile, WithoutALookaheadProcessorsWaitForEachLine) {
  const absl::StatusOr<MachineModel> read =
      parse_machine(file_with("lookahead = 0\n", ""), "folder/a.toml");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->access.lookahead, 0);
}

TEST_P(MachineFileErrors, SayWhereAndWhat) {
  EXPECT_THAT(error_in(file_with(GetParam().piece, GetParam().other)),
              testing::StartsWith("folder/a.toml:" + GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    MachineFile, MachineFileErrors,
    testing::Values(
        Wrong{"smt_slowdown = 1", "reads_take = 1", "2:14: reads_take wants true or false"},
        Wrong{"smt_slowdown = 1", "quiet = 1.5", "2:9: quiet wants a number from 0.05 to 1"},
        Wrong{"[100, 0, 100, 100]", "[99, 0, 100, 100]",
              "20:4: matrix: 99 ns from core 1 to core 0, and 100 ns back; make it symmetric"},
        Wrong{"[100, 0, 100, 100]", "[100, 7, 100, 100]",
              "20:9: matrix: core 1 is 0 ns from itself, not 7"},
        Wrong{"[100, 0, 100, 100]", "[100, 0, 100]",
              "20:3: a row of matrix wants 4 numbers, and has 3"},
        Wrong{"  [100, 0, 100, 100],\n", "",
              "18:10: matrix wants 4 rows, one for each core, and has 3"},
        Wrong{"[100, 0, 100, 100]", "[-1, 0, 100, 100]",
              "20:4: matrix wants a number from 0 to 10000000, and this is -1"},
        Wrong{"rmw = 10", "rmw = -10",
              "28:7: rmw wants a number from 0 to 10000000, and this is "
              "-10"},
        Wrong{"pause = 5", "pause = 0", "30:9: pause wants a number from 0.01"},
        Wrong{"slice = 10000", "slice = 10", "36:9: slice wants a number from 1000"},
        Wrong{"rmw = 10\n", "", "25:1: rmw is missing"},
        Wrong{"rmw = 10", "rmv = 10", "28:1: unknown key 'rmv'; did you mean 'rmw'?"},
        Wrong{"cores_per_cluster = 4", "cores_per_cluster = 1.5",
              "13:21: cores_per_cluster wants a whole number"},
        Wrong{"cores_per_cluster = 4", "cores_per_cluster = 0",
              "13:21: cores_per_cluster wants a number from 1 to 512, and this is 0"},
        Wrong{"sockets = 1", "sockets = 200", "10:1: 800 processors; a model has at most 512"},
        Wrong{"threads_per_core = 1", "threads_per_core = 2\n[x]", "15:2: unknown key 'x'"},
        Wrong{"threads_per_core = 1\n\n[latency_ns]\nsibling = 0\n",
              "threads_per_core = 2\n[latency_ns]\n",
              "15:1: sibling is missing: a core has several threads"},
        Wrong{"year = 2000", "", "4:1: year is missing"},
        Wrong{"[[source]]", "[source]", "4:1: no source; say where the figures come from"},
        Wrong{"title = \"four cores\"", "title = 4", "1:9: title wants text in quotes"},
        Wrong{"[topology]", "[topology", "10:10: not TOML"}));

}  // namespace
}  // namespace lockbench::machine
