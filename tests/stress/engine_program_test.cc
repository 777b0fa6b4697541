// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/engine_program.h"

#include <iostream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/exit_code.h"

namespace lockbench::stress {
namespace {

using testing::HasSubstr;

struct Ran {
  int code = 0;
  std::string err;
};

// Runs the program of an engine with one lock, `x`, on an order.
Ran run(const Order& order, const Engine& test_lock, const Engine& check_net) {
  std::istringstream in(to_json(order));
  std::ostringstream err;
  std::streambuf* const old_in = std::cin.rdbuf(in.rdbuf());
  std::streambuf* const old_err = std::cerr.rdbuf(err.rdbuf());
  const char* const words[] = {"engine"};
  const RegisteredLock locks[] = {{.name = "x"}};
  const int code = run_engine_program(words, locks, test_lock, check_net);
  std::cin.rdbuf(old_in);
  std::cerr.rdbuf(old_err);
  return {code, err.str()};
}

Engine counting(int& runs) {
  return [&runs](const RegisteredLock&, const Order&, const ReportProgress&) {
    ++runs;
    return absl::StatusOr<Report>(Report{});
  };
}

TEST(EngineProgram, RunsTheCheckOfNetsForOrdersWithANet) {
  int tests = 0;
  int checks = 0;
  EXPECT_EQ(run({.lock = "x"}, counting(tests), counting(checks)).code, kSuccess);
  EXPECT_EQ(run({.lock = "x", .net = "<pnml/>"}, counting(tests), counting(checks)).code, kSuccess);
  EXPECT_EQ(tests, 1);
  EXPECT_EQ(checks, 1);
}

TEST(EngineProgram, RefusesANetWhereNothingChecksIt) {
  int tests = 0;
  const Ran ran = run({.lock = "x", .net = "<pnml/>"}, counting(tests), nullptr);
  EXPECT_EQ(ran.code, kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("net: this engine, as it is built here, has no check"));
  EXPECT_EQ(tests, 0);
}

}  // namespace
}  // namespace lockbench::stress
