// SPDX-License-Identifier: Apache-2.0

// OwnerCanary: what a key's holders leave for each other to see, one for each lease of each key.
//
// A holder writes its name on entering and wipes it off on leaving; whoever enters and reads a
// name, or leaves and does not read its own, has met another. And it reads the count when it enters
// and writes one more when it leaves: the work that the lock is there to protect.
//
// It adds no ordering. Every access is one relaxed load or one relaxed store, plain moves on x86
// and ARM alike: no fence, no read-modify-write, no acquire, no release. So the accesses of one
// hold are ordered against those of the next by the lock or by nothing, as the data of any program
// would be; and if the lock orders holds (the release of one happens before the acquisition of the
// next), each reads what the one before it wrote, so that a correct lock is never accused.
#pragma once

#include <cstdint>

#include "harness/stress/threads/shared_state.h"
#include "primitives/platform/layout.h"

namespace lockbench::stress::threads {

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer checks orders by plain accesses alone: relaxed ones may race.
class Protected {
 public:
  std::uint64_t read() const { return value_; }
  void write(std::uint64_t value) { value_ = value; }

 private:
  std::uint64_t value_ = 0;
};
#else
class Protected {
 public:
  std::uint64_t read() const { return get(value_); }
  void write(std::uint64_t value) { put(value_, value); }

 private:
  Word value_{0};
};
#endif

// A thread's name on a watch: its number and one, and whether it has given back a part of its nest.
inline constexpr std::uint64_t kNobody = 0;
inline constexpr std::uint64_t kGaveBack = 1;

constexpr std::uint64_t name_of_thread(std::uint32_t number) {
  return (std::uint64_t{number} + 1) << 1;
}
constexpr std::uint32_t thread_of_name(std::uint64_t name) {
  return name == kNobody ? kNoThreadNumber : static_cast<std::uint32_t>(name >> 1) - 1;
}

struct alignas(platform::kCacheLine) OwnerCanary {
  Word owner{kNobody};
  Word grants{0};  // like `count`, and may be read by those who do not hold
  Word token{0};   // the last one seen
  Protected count;
};

}  // namespace lockbench::stress::threads
