// SPDX-License-Identifier: Apache-2.0

// The broken locks of processes, and the nets that they are held against.

#include "harness/stress/supervision/children.h"
#include "tests/petri/mutant_nets.h"

namespace lockbench::mutants {
namespace {

constexpr char kNoNumbers[] = "the kernel does not let this user choose a process's number";

ModelSpec lock_file(std::uint32_t processes = 3) {
  return {.primitive = "file", .threads = processes};
}

// Two who wait have to find the owner dead at one moment.
constexpr std::uint32_t kManyWait = 6;

}  // namespace

const std::vector<MutantNet>& mutant_nets() {
  static const std::vector<MutantNet> all{
      {.lock = "link", .model = lock_file(), .control = true},
      {"link_tests_then_makes", lock_file()},
      {"link_two_rescuers", lock_file(kManyWait)},
      {"link_no_recovery", lock_file()},
      {"link_steals_from_paused", lock_file()},
      {"link_judges_by_number", lock_file(), stress::can_recycle_numbers() ? "" : kNoNumbers},
      {"link_looks_seldom", lock_file()},
      {"file_as_published", lock_file()},
      {"file_unsafe_as_published", lock_file()},
  };
  return all;
}

const std::vector<std::string>& without_net() {
  static const std::vector<std::string> none;
  return none;
}

}  // namespace lockbench::mutants
