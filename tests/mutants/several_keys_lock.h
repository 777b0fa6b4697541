// SPDX-License-Identifier: Apache-2.0

// ManyStripes: an array of mutexes, any number of whose keys are acquired together; and variants
// with one fault each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

enum class SetFault {
  kNone,
  kAsAsked,      // takes the keys in the order in which they were named
  kByKey,        // takes them in the order of the keys, and not of their stripes
  kNamedTwice,   // takes a key that is named twice only if the two are neighbours
  kLeavesOne,    // leaves the last stripe out
  kTryLeaks,     // a try that is refused one key keeps those before it
  kTryTakesOne,  // a try takes the first key alone
};

template <SetFault kFault>
class ManyStripes : public ByKey<ManyStripes<kFault>> {
  static constexpr std::size_t kStripes = 7;

 public:
  static constexpr Promises kPromises{};

  class Set {
   public:
    Set(ManyStripes& owner, std::vector<std::size_t> stripes)
        : owner_(owner), stripes_(std::move(stripes)) {}
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;

    void lock() {
      for (const std::size_t stripe : stripes_) owner_.stripes_[stripe].lock();
      taken_ = stripes_.size();
    }
    bool try_lock() {
      const std::size_t wanted = kFault == SetFault::kTryTakesOne ? 1 : stripes_.size();
      for (std::size_t i = 0; i < wanted; ++i) {
        if (owner_.stripes_[stripes_[i]].try_lock()) continue;
        if (kFault != SetFault::kTryLeaks) give_back(i);
        return false;
      }
      taken_ = wanted;
      return true;
    }
    void unlock() { give_back(taken_); }

   private:
    void give_back(std::size_t number) {
      while (number > 0) owner_.stripes_[stripes_[--number]].unlock();
    }

    ManyStripes& owner_;
    const std::vector<std::size_t> stripes_;
    std::size_t taken_ = 0;
  };

  void lock(std::uint64_t key) { stripes_[stripe_of(key)].lock(); }
  bool try_lock(std::uint64_t key) { return stripes_[stripe_of(key)].try_lock(); }
  void unlock(std::uint64_t key) { stripes_[stripe_of(key)].unlock(); }

  Set handle_all(std::span<const std::uint64_t> keys) {
    std::vector<std::uint64_t> named(keys.begin(), keys.end());
    if (kFault == SetFault::kByKey) std::sort(named.begin(), named.end());
    std::vector<std::size_t> stripes;
    for (const std::uint64_t key : named) stripes.push_back(stripe_of(key));
    if (kFault == SetFault::kAsAsked || kFault == SetFault::kByKey) {
      leave_out_repeated(stripes);
    } else if (kFault == SetFault::kNamedTwice) {
      leave_out_repeated_neighbours(stripes);
      std::sort(stripes.begin(), stripes.end());
    } else {
      std::sort(stripes.begin(), stripes.end());
      leave_out_repeated_neighbours(stripes);
    }
    if (kFault == SetFault::kLeavesOne && stripes.size() > 1) stripes.pop_back();
    return {*this, std::move(stripes)};
  }

 private:
  static void leave_out_repeated_neighbours(std::vector<std::size_t>& stripes) {
    stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  }
  static void leave_out_repeated(std::vector<std::size_t>& stripes) {
    auto end = stripes.begin();
    for (const std::size_t stripe : stripes) {
      if (std::find(stripes.begin(), end, stripe) == end) *end++ = stripe;
    }
    stripes.erase(end, stripes.end());
  }

  // The order of the stripes is not that of the keys.
  static std::size_t stripe_of(std::uint64_t key) { return key * 4 % kStripes; }

  std::array<platform::Mutex, kStripes> stripes_;
};

}  // namespace lockbench::mutants
