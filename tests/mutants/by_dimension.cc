// SPDX-License-Identifier: Apache-2.0

// Locks whose faults show along one dimension of a lock's contract that programs have to vary, with
// a control that differs by the fault alone.

#include <utility>

#include "harness/stress/shared_holds.h"
#include "tests/mutants/crash_lock.h"
#include "tests/mutants/guarded_word.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/reading_lock.h"

namespace lockbench::mutants {
namespace {

// The process dies in a call.
std::vector<Mutant> crashes() {
  using F = CrashFault;
  const std::vector<Oracle> dies = {kCrash};
  constexpr char kWindow[] = "the window is two loads wide";
  return {
      control<CrashLock<F::kNone>>("looks", "a correct lock that counts looks in vain"),
      simulated_only<CrashLock<F::kFollows>>("looks_follows",
                                             "follows a pointer that it read twice", dies, kWindow),
      simulated_only<CrashLock<F::kAborts>>("looks_aborts", "aborts if its two reads differ", dies,
                                            kWindow),
      simulated_only<CrashLock<F::kExits>>("looks_exits", "exits if its two reads differ", dies,
                                           kWindow),
  };
}

template <ReadingFault kFault, ReadingTimeouts kTimeouts = ReadingTimeouts::kBoth,
          std::uint32_t kMostReaders = 0>
using Reading = ReadersApart<GlobalLock<ReadingLock<kFault, kTimeouts, kMostReaders>>>;

// Some threads only read, and stay.
std::vector<Mutant> readers() {
  using F = ReadingFault;
  using T = ReadingTimeouts;
  const std::vector<Oracle> stuck = kStandstill + kCycle;
  const std::vector<Oracle> beside =
      kTwoInside + kOrdering + kProgress + kCycle + kModel + kResidue;
  constexpr char kWindow[] = "it takes readers that stay, at certain times";
  return {
      control<Reading<F::kNone>>("reading", "a correct lock for readers and writers"),
      control<Reading<F::kNone, T::kOfWriters>>("reading_timed_writers",
                                                "the same, timeouts of writers alone"),
      control<Reading<F::kNone, T::kOfReaders>>("reading_timed_readers",
                                                "the same, timeouts of readers alone"),
      control<Reading<F::kNone, T::kBoth, 32>>("reading_32", "the same, counts up to 31 readers"),
      simulated_only<Reading<F::kNumberBefore>>(
          "reading_number_before", "the last reader takes itself for another one", stuck, kWindow),
      simulated_only<Reading<F::kTimedWriterLeaves>>(
          "reading_timed_writer_leaves", "a writer that gives up wakes no reader", stuck, kWindow),
      simulated_only<Reading<F::kTimedWriterLeaves, T::kOfWriters>>(
          "reading_timed_writer_leaves_alone", "the same, and readers have no timeouts", stuck,
          kWindow),
      simulated_only<Reading<F::kTryLeavesMark>>("reading_try_leaves_mark",
                                                 "a writer that tries in vain keeps readers out",
                                                 stuck + kModel + kResidue, kWindow),
      simulated_only<Reading<F::kReadersExclude>>("reading_one_by_one",
                                                  "one reader is inside at a time", stuck, kWindow),
      simulated_only<Reading<F::kNone, T::kBoth, 4>>("reading_2_bits", "four readers count as none",
                                                     beside, kWindow),
      simulated_only<Reading<F::kNone, T::kBoth, 8>>(
          "reading_3_bits", "eight readers count as none", beside, kWindow),
  };
}

// Many more threads than processors.
std::vector<Mutant> oversubscribed() {
  return {
      control<GuardedWord<0>>("guarded", "a correct lock whose unlock() may take seconds"),
      broken<GuardedWord<1>>("guarded_gives_up", "unlock() gives up after one try",
                             kStandstill + kResidue + kModel),
  };
}

}  // namespace

std::vector<Mutant> mutants_by_dimension() {
  return all_of({crashes, readers, oversubscribed});
}

}  // namespace lockbench::mutants
