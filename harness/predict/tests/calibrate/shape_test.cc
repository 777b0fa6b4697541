// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/shape.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockbench::calibration {
namespace {

Processor processor(int number, int core, int cluster = 0, int package = 0) {
  return {.number = number, .core = core, .cluster = cluster, .package = package};
}

TEST(ShapeOf, OneProcessorIsOneCore) {
  EXPECT_EQ(shape_of({processor(5, 2)}), (Shape{.cores = {{5}}}));
}

TEST(ShapeOf, ThreadsOfACoreStandTogether) {
  const Shape shape =
      shape_of({processor(0, 0), processor(1, 1), processor(2, 0), processor(3, 1)});
  EXPECT_EQ(shape,
            (Shape{.cores_per_cluster = 2, .threads_per_core = 2, .cores = {{0, 2}, {1, 3}}}));
}

TEST(ShapeOf, CoresAreInTheOrderOfSocketsAndClusters) {
  const Shape shape = shape_of(
      {processor(0, 0, 0, 0), processor(1, 3, 2, 1), processor(2, 1, 1, 0), processor(3, 2, 3, 1)});
  EXPECT_EQ(shape, (Shape{.sockets = 2, .clusters_per_socket = 2, .cores = {{0}, {2}, {1}, {3}}}));
}

TEST(ShapeOf, GroupsOfDifferentSizeAreFlat) {
  const Shape hybrid = shape_of({processor(0, 0), processor(1, 0), processor(2, 1)});
  EXPECT_EQ(hybrid, (Shape{.cores_per_cluster = 3, .regular = false, .cores = {{0}, {1}, {2}}}));
  const Shape clusters = shape_of({processor(0, 0, 0), processor(1, 1, 0), processor(2, 2, 1)});
  EXPECT_FALSE(clusters.regular);
}

Processor of_kind(int number, int core, int rank) {
  return {.number = number, .core = core, .rank = rank, .kind = rank == 0 ? "fast" : "slow"};
}

using Kinds = std::vector<machine::KindOfCores>;

TEST(ShapeOf, FastCoresComeBeforeSlowOnes) {
  const Shape hybrid =
      shape_of({of_kind(0, 0, 1), of_kind(1, 1, 1), of_kind(2, 2, 0), of_kind(3, 2, 0)});
  EXPECT_TRUE(hybrid.regular);
  EXPECT_EQ(hybrid.kinds, (Kinds{{.name = "fast", .cores = 1, .threads_per_core = 2},
                                 {.name = "slow", .cores = 2}}));
  EXPECT_EQ(hybrid.cores, (Cores{{2, 3}, {0}, {1}}));
  EXPECT_EQ(hybrid.cores_per_cluster, 3U);
  EXPECT_EQ(hybrid.threads_per_core, 2U);
}

TEST(ShapeOf, ThreadsThatAModelCannotHaveAreCores) {
  const Shape hybrid = shape_of({of_kind(0, 0, 0), of_kind(1, 1, 1), of_kind(2, 1, 1)});
  EXPECT_FALSE(hybrid.regular);
  EXPECT_EQ(hybrid.kinds, (Kinds{{.name = "fast", .cores = 1}, {.name = "slow", .cores = 2}}));
  EXPECT_EQ(hybrid.cores, (Cores{{0}, {1}, {2}}));
}

}  // namespace
}  // namespace lockbench::calibration
