// SPDX-License-Identifier: Apache-2.0

// The broken locks of processes, and the nets that they are held against.

#include "harness/petri/tests/mutant_nets.h"
#include "harness/stress/supervision/children.h"

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
  // The net of a lock file has one step for a claim and no forks: what is wrong between two system
  // calls of a claim, or in a forked child, is none of its events.
  static const std::vector<std::string> all{
      "link_two_links",    "link_guard_link",   "link_leaves_mark",      "link_removes_what_it_saw",
      "link_renames_over", "link_knows_itself", "link_remembers_itself", "link_cleans_up_in_child",
  };
  return all;
}

}  // namespace lockbench::mutants
