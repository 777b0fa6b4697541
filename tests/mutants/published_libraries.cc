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
      control<TokenSemaphore<T::kNone>>("folly_semaphore", "after both corrections"),
      simulated_only<TokenSemaphore<T::kExchangesZero>>(
          "folly_43ea7bf4", "takes a token that is not there",
          kTwoInside + kOrdering + kModel + kResidue + kProgress, kWindow),
      simulated_only<TokenSemaphore<T::kRelaxedSignal>>(
          "folly_611cfd85", "gives a token back unordered", {kOrdering}, kForgiven),
      control<FiberMutex<true>>("folly_47d37c8e_fixed", "forgets itself alone"),
      broken<FiberMutex<false>>("folly_47d37c8e", "forgets who else was notified",
                                kStandstill + kCycle + kResidue),
      control<GoMutex<true>>("gopherjs_736_fixed", "keeps a token for whom it woke"),
      broken<GoMutex<false>>("gopherjs_736", "a newcomer takes the token of another",
                             {kCrash, kProgress, kCycle, kExclusion, kConservation, kOrdering}),
  };
}

}  // namespace lockbench::mutants
