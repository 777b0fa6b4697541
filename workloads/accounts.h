// SPDX-License-Identifier: Apache-2.0

// Accounts: read a user's record, hold, and write the whole record back. This is the work of the
// third seed: users are identified by their e-mail addresses, and a record has several fields that
// must be consistent.
#pragma once

#include "workloads/per_key.h"

namespace lockbench {

struct alignas(platform::kCacheLine) AccountRecord {
  static constexpr std::string_view kKeyPrefix = "user";
  static constexpr std::string_view kKeySuffix = "@example.com";

  struct Seen {
    std::uint64_t visits;
    std::uint64_t balance;
    std::uint64_t checksum;  // computed from the other two
    bool operator==(const Seen&) const = default;
  };

  // relaxed throughout: the lock under test is what must order these.
  Seen look() const {
    return {.visits = visits.load(std::memory_order_relaxed),
            .balance = balance.load(std::memory_order_relaxed),
            .checksum = checksum.load(std::memory_order_relaxed)};
  }

  static bool sound(const Seen& seen) {
    return seen.checksum == checksum_of(seen.visits, seen.balance);
  }

  void update(const Seen& seen) {
    const std::uint64_t new_visits = seen.visits + 1;
    const std::uint64_t new_balance = seen.balance + new_visits;
    visits.store(new_visits, std::memory_order_relaxed);
    balance.store(new_balance, std::memory_order_relaxed);
    checksum.store(checksum_of(new_visits, new_balance), std::memory_order_relaxed);
  }

  std::uint64_t updates() const { return look().visits; }

  // 0 for a record that was never written.
  static std::uint64_t checksum_of(std::uint64_t visits, std::uint64_t balance) {
    return visits * 0xd1342543de82ef95 + balance;
  }

  platform::Atomic<std::uint64_t> visits{0};
  platform::Atomic<std::uint64_t> balance{0};
  platform::Atomic<std::uint64_t> checksum{0};
};

template <class P, Key K>
class Accounts : public PerKey<P, K, AccountRecord> {
 public:
  static constexpr std::string_view kName = "accounts";
  static constexpr KeyType kUsualKeyType = KeyType::kString;
  static constexpr std::string_view kSummary =
      "reads a user's record by e-mail address, holds, and writes all of it back";

  using PerKey<P, K, AccountRecord>::PerKey;
};

}  // namespace lockbench
