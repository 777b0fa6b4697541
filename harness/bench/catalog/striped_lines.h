// SPDX-License-Identifier: Apache-2.0

// The catalog's entries for arrays with a fixed number of locks. The key's hash chooses one of
// them.
#pragma once

#include <memory>

#include "harness/bench/catalog/base_locks.h"
#include "harness/bench/catalog/line.h"
#include "primitives/as_published/striped_as_published.h"
#include "primitives/peers/striped_vector.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"

namespace lockbench {

template <class P>
std::unique_ptr<P> make_striped(const Arguments& with) {
  return std::make_unique<P>(with["stripes"]);
}

inline Number stripes_parameter() {
  return {"stripes", 20, 1, 1 << 24, "locks in the array"};
}

inline Listing striped_listing(const char* lock, const char* origin,
                               const char* letters = "sensitive") {
  return {"striped",
          "a fixed array of locks, one of them chosen by the key's hash",
          origin,
          {{"lock", lock}, {"case", letters}},
          {stripes_parameter()}};
}

inline Number bits_parameter() {
  return {"stripes", StripeWord::kMostStripes, 1, StripeWord::kMostStripes, "bits of the word"};
}

template <class Visit>
void visit_striped(Visit visit) {
  for_each_base_lock([&]<class Base>(const char* lock, const char* origin) {
    visit(Line<StripedLock<Base>>{striped_listing(lock, origin), make_striped});
  });
  visit(Line<StripedLock<AdaptiveMutex, CaseInsensitiveHash>>{
      striped_listing("adaptive", "lockbench", "insensitive"), make_striped});
  visit(Line<StripeWord>{{"stripe_word",
                          "up to 63 locks in one word; any number of keys in one atomic step",
                          "lockbench",
                          {},
                          {bits_parameter()}},
                         make_striped});
  visit(Line<StripedVector>{{"striped_vector",
                             "std::vector<std::mutex>, by the remainder of the hash",
                             "C++ library",
                             {},
                             {stripes_parameter()}},
                            make_striped});
  visit(Line<StripedAsPublished<>>{{"striped_as_published",
                                    "monitors, chosen by the sum of the keys' 32-bit hashes",
                                    "a weblog, 2008",
                                    {},
                                    {stripes_parameter()}},
                                   make_striped});
}

}  // namespace lockbench
