// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "tests/mutants/mutant.h"
#include "tests/mutants/published/libraries.h"

namespace lockbench::mutants {

std::vector<Mutant> mutants_of_libraries() {
  using namespace published;
  using T = TokensFault;
  constexpr char kWindow[] = "the window is some nanoseconds long";
  return {
      control(global<TokenSemaphore<T::kNone>>("folly_semaphore", "after both corrections")),
      simulated_only(
          global<TokenSemaphore<T::kExchangesZero>>("folly_43ea7bf4",
                                                    "takes a token that is not there"),
          kTwoInside + Oracle::kOrdering + Oracle::kModel + Oracle::kResidue + Oracle::kProgress,
          kWindow),
      simulated_only(global<TokenSemaphore<T::kRelaxedSignal>>("folly_611cfd85",
                                                               "gives a token back unordered"),
                     {Oracle::kOrdering}, kForgiven),
      control(global<FiberMutex<true>>("folly_47d37c8e_fixed", "forgets itself alone")),
      broken(global<FiberMutex<false>>("folly_47d37c8e", "forgets who else was notified"),
             kStandstill + Oracle::kCycle + Oracle::kResidue),
      control(global<GoMutex<true>>("gopherjs_736_fixed", "keeps a token for whom it woke")),
      broken(global<GoMutex<false>>("gopherjs_736", "a newcomer takes the token of another"),
             {Oracle::kCrash, Oracle::kProgress, Oracle::kCycle, Oracle::kExclusion,
              Oracle::kConservation, Oracle::kOrdering}),
  };
}

}  // namespace lockbench::mutants
