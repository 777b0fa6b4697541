// SPDX-License-Identifier: Apache-2.0

// The broken locks between processes.

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/catalog/in_scratch_folder.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/oracles/registry.h"
#include "harness/stress/processes/call_watch.h"
#include "harness/stress/supervision/children.h"
#include "primitives/as_published/file_as_published.h"
#include "primitives/as_published/file_unsafe_as_published.h"
#include "tests/mutants/link_lock.h"
#include "tests/mutants/registry.h"

namespace lockbench::mutants {
namespace {

using stress::Oracle;
using stress::RegisteredLock;

constexpr std::chrono::milliseconds kPoll{2};  // the published second would be an epoch's length

template <class P, class... Arguments>
RegisteredLock between(const char* name, const char* fault, std::vector<Oracle> oracles,
                       Arguments... arguments) {
  RegisteredLock entry = stress::lock_under_test<InScratchFolder<P>>(name, fault, arguments...);
  entry.expected_oracles = std::move(oracles);
  return entry;
}

void cannot_be_seen(const std::set<std::string>& names, const char* why,
                    std::vector<RegisteredLock>& all) {
  for (RegisteredLock& entry : all) {
    if (!names.contains(entry.name)) continue;
    entry.expected_oracles.clear();
    entry.unseen = why;
  }
}

}  // namespace

std::vector<RegisteredLock> for_proc() {
  using F = LinkFault;
  const std::vector<Oracle> two_inside = {Oracle::kExclusion, Oracle::kConservation};
  // A dead owner's key that nobody wants any more is found when all have gone.
  const std::vector<Oracle> kept_by_the_dead = {Oracle::kProgress, Oracle::kResidue};
  std::vector<RegisteredLock> all = {
      between<LinkLock<F::kNone>>("link", "a correct lock of symbolic links", {}),
      between<LinkLock<F::kTestsThenMakes>>("link_tests_then_makes",
                                            "looks, then makes its link, in two steps", two_inside),
      between<LinkLock<F::kTwoRescuers>>("link_two_rescuers",
                                         "a dead owner's link is removed by two", two_inside),
      between<LinkLock<F::kNoRecovery>>("link_no_recovery", "a killed owner keeps it for ever",
                                        kept_by_the_dead),
      between<LinkLock<F::kStealsFromPaused>>(
          "link_steals_from_paused", "stolen after a pause of its living owner", two_inside),
      between<LinkLock<F::kJudgesByNumber>>("link_judges_by_number",
                                            "whoever has a dead owner's number is taken for it",
                                            kept_by_the_dead),
      between<LinkLock<F::kLooksSeldom>>(
          "link_looks_seldom", "a killed owner's is had again after 0.16 s only", kept_by_the_dead),
      between<LinkLock<F::kTwoLinks>>(
          "link_two_links", "says that it is taken before it says by whom", kept_by_the_dead),
      between<LinkLock<F::kGuardLink>>(
          "link_guard_link", "a killed rescuer keeps the guard for ever", kept_by_the_dead),
      between<LinkLock<F::kLeavesMark>>(
          "link_leaves_mark", "a killed owner leaves its mark for ever", kept_by_the_dead),
      between<LinkLock<F::kRemovesWhatItSaw>>(
          "link_removes_what_it_saw", "a dead owner's link is not read again before its removal",
          two_inside),
      between<LinkLock<F::kRenamesOver>>("link_renames_over",
                                         "looks, then renames its link, in two steps", two_inside),
      between<LinkLock<F::kKnowsItself>>("link_knows_itself",
                                         "a correct lock that knows its own hold", {}),
      between<LinkLock<F::kRemembersItself>>("link_remembers_itself",
                                             "takes a forked child for its parent", two_inside),
      between<LinkLock<F::kCleansUpInChild>>(
          "link_cleans_up_in_child", "a forked child removes its parent's links", two_inside),
      between<FileAsPublished>("file_as_published", "a killed owner keeps it for ever",
                               kept_by_the_dead, kPoll),
      between<FileUnsafeAsPublished>(
          "file_unsafe_as_published", "looks, then writes; a killed owner keeps it for ever",
          {Oracle::kExclusion, Oracle::kConservation, Oracle::kProgress, Oracle::kResidue}, kPoll),
  };
  if (!stress::can_recycle_numbers()) {
    cannot_be_seen({"link_judges_by_number"},
                   "the kernel does not let this user choose a process's number", all);
  }
  if (stress::processes::CallWatch::why_unavailable()) {
    cannot_be_seen(
        {"link_two_links", "link_guard_link", "link_leaves_mark", "link_removes_what_it_saw"},
        "the kernel does not let this user stop processes at their system calls", all);
  }
  return all;
}

}  // namespace lockbench::mutants
