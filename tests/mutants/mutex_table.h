// SPDX-License-Identifier: Apache-2.0

// MutexTable: a mutex for every key in use; the faults compare only a part of a name, or a hash of
// a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

// Seen::of(key) is what the table compares.
template <class Seen>
class MutexTable {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};
  using Key = typename Seen::Key;
  using KeySeen = decltype(Seen::of(Key()));

  class Handle {
   public:
    Handle(MutexTable& table, Key key) : table_(table), seen_(Seen::of(key)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { table_.mutex_of(seen_).lock(); }
    bool try_lock() { return table_.mutex_of(seen_).try_lock(); }
    void unlock() { table_.mutex_of(seen_).unlock(); }

   private:
    MutexTable& table_;
    const KeySeen seen_;
  };

  Handle handle(Key key) { return Handle(*this, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  platform::Mutex& mutex_of(const KeySeen& seen) {
    const std::scoped_lock guard(mutex_);
    std::unique_ptr<platform::Mutex>& mutex = mutexes_[seen];
    if (mutex == nullptr) mutex = std::make_unique<platform::Mutex>();
    return *mutex;
  }

  platform::Mutex mutex_;
  std::map<KeySeen, std::unique_ptr<platform::Mutex>> mutexes_;
};

// kBits of a hash that is different for different numbers: its factor is odd. 64: all.
template <int kBits>
struct SeenBits {
  using Key = std::uint64_t;
  static std::uint64_t of(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ULL >> (64 - kBits); }
};
template <int kBits>
using HashedTable = MutexTable<SeenBits<kBits>>;

enum class NameFault {
  kNone,
  kLength,     // names of one length are one
  kPrefix,     // names that begin with the same 16 characters are one
  kPrefix200,  // the same, 200 characters
  kAddress,    // a name is the address where it lies
  kZero,       // a name ends at its first zero byte
  kBlanks,     // names that differ in blanks at their ends are one
  kCase,       // names that differ in case are one
  kNumber,     // names that begin with the same number are one
  kBlocks,     // names whose words of 8 bytes have the same sum are one
  kHash,       // names of one 32-bit hash are one
};

template <NameFault kFault>
struct SeenName {
  using Key = std::string_view;

  static std::string of(std::string_view name) {
    switch (kFault) {
      case NameFault::kLength:
        return std::to_string(name.size());
      case NameFault::kPrefix:
        return std::string(name.substr(0, 16));
      case NameFault::kPrefix200:
        return std::string(name.substr(0, 200));
      case NameFault::kAddress:
        return std::to_string(reinterpret_cast<std::uintptr_t>(name.data()));
      case NameFault::kZero:
        return std::string(name.substr(0, name.find('\0')));
      case NameFault::kBlanks:
        return std::string(name.substr(0, name.find_last_not_of(' ') + 1));
      case NameFault::kCase:
        return in_lower_case(std::string(name));
      case NameFault::kNumber:
        return number_or_name(std::string(name));
      case NameFault::kBlocks:
        return std::to_string(sum_of_words(name));
      case NameFault::kHash:
        return std::to_string(hash_of(name));
      default:
        return std::string(name);
    }
  }

 private:
  static std::string in_lower_case(std::string name) {
    for (char& letter : name) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return name;
  }

  static std::string number_or_name(const std::string& name) {
    std::size_t digits = 0;
    std::uint64_t number = 0;
    for (; digits < name.size() && name[digits] >= '0' && name[digits] <= '9'; ++digits) {
      number = number * 10 + static_cast<std::uint64_t>(name[digits] - '0');
    }
    return digits == 0 ? name : std::to_string(number);
  }

  static std::uint64_t sum_of_words(std::string_view name) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
      sum += std::uint64_t{static_cast<unsigned char>(name[i])} << i % 8 * 8;
    }
    return sum;
  }

  // As Java computes it.
  static std::uint32_t hash_of(std::string_view name) {
    std::uint32_t hash = 0;
    for (const char letter : name) hash = hash * 31 + static_cast<unsigned char>(letter);
    return hash;
  }
};
template <NameFault kFault>
using NamedTable = MutexTable<SeenName<kFault>>;

}  // namespace lockbench::mutants
