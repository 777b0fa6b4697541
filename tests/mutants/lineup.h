// The catalog of broken locks that the engines must convict, and of correct ones beside them that
// they must not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/stress/finding.h"
#include "harness/stress/suspect.h"

namespace lockbench::mutants {

// By what an engine may convict a mutant; nothing: a control, or one that the engine cannot see.
struct Expectation {
  std::vector<stress::Oracle> sim;
  std::vector<stress::Oracle> real;
};

struct Mutant {
  stress::Lineup lineup;
  Expectation expected;
  bool control = false;
  std::string_view unseen = {};  // why an engine that is expected to find nothing cannot
};

const std::vector<Mutant>& mutants();

// The same, as an engine takes them.
std::vector<stress::Lineup> lineups();

}  // namespace lockbench::mutants
