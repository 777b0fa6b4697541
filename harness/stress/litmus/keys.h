// SPDX-License-Identifier: Apache-2.0

// Keys: the numbers and names that the keys of a litmus program stand for.
//
// A program speaks of key 0, 1, 2, … A lock that looks at a part of a key only, or compares hashes
// and not keys, tells those apart; so a program is also run with keys that differ in their high
// bits alone, and with names that begin alike, end alike, or differ after a zero byte. Pure, and
// without allocation: a plug-in compiles this, and a simulation runs it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace lockbench::stress {

// Key sets, by number: 0: the numbers themselves; 1: numbers as a hash function makes them; 8, 12,
// 16, 32: multiples of 2^8, 2^12, 2^16, 2^32; 64: the highest numbers, downwards.
inline constexpr std::uint32_t kHashedKeys = 1;
inline constexpr std::uint32_t kHighestKeys = 64;
inline constexpr std::uint32_t kKeySets[] = {0, kHashedKeys, 8, 12, 16, 32, kHighestKeys};

constexpr bool is_key_set(std::uint32_t number) {
  return std::find(std::begin(kKeySets), std::end(kKeySets), number) != std::end(kKeySets);
}

// The number that key `key` of a program stands for. For the first kMostKeysOfASet keys it grows
// with the key, since programs nest keys in ascending order; it differs between sets for the first
// kMostNamedKeys keys.
inline constexpr std::uint64_t kMostKeysOfASet = 14;
constexpr std::uint64_t key_value(std::uint32_t key_set, std::uint64_t key) {
  switch (key_set) {
    case 0:
      return key;
    case kHashedKeys:
      return ((key + 1) << 60) + (key + 1) * 0x9e3779b97f4a7c15ULL % (1ULL << 60);
    case kHighestKeys:
      return ~std::uint64_t{0} - kMostKeysOfASet + key;
    default:
      return (key + 1) << key_set;
  }
}

inline constexpr std::uint64_t kMostNamedKeys = 8;

namespace internal {

inline constexpr std::string_view kPlainNames[kMostNamedKeys] = {
    "ada", "barbara", "edsger", "fran", "grace", "leslie", "maurice", "tony"};

// Longer than a std::string keeps in itself.
inline constexpr std::size_t kLongPart = 40;

struct NameInSet {
  std::uint64_t value = 0;
  std::size_t size = 0;
  std::array<char, 2 * kLongPart + 1> text{};

  constexpr void add(std::size_t count, char letter) {
    for (std::size_t i = 0; i < count; ++i) text[size++] = letter;
  }
};

constexpr NameInSet name_in(std::uint32_t key_set, std::uint64_t key) {
  NameInSet name{.value = key_value(key_set, key)};
  const char letter = static_cast<char>('a' + key);
  const bool long_before = key_set == 12 || key_set == 32;
  const bool long_after = key_set == 16 || key_set == 32;
  if (key_set == kHashedKeys) {
    name.add(key, 'x');  // each is the beginning of the next
  } else if (key_set == kHighestKeys) {
    name.add(3, 'n');
    name.add(1, '\0');  // what differs comes after it
  } else if (key_set == 8) {
    // The same letters each time, in another order: what adds them up sees one name.
    for (std::uint64_t i = 0; i < kMostNamedKeys; ++i) {
      name.add(1, static_cast<char>('a' + (key + i) % kMostNamedKeys));
    }
    return name;
  } else if (long_before) {
    name.add(kLongPart, 'm');
  }
  name.add(1, key_set == kHashedKeys ? 'x' : letter);
  if (long_after) name.add(kLongPart, 'm');
  return name;
}

constexpr auto make_key_names() {
  std::array<NameInSet, (std::size(kKeySets) - 1) * kMostNamedKeys> names{};
  std::size_t count = 0;
  for (const std::uint32_t set : kKeySets) {
    for (std::uint64_t key = 0; set != 0 && key < kMostNamedKeys; ++key) {
      names[count++] = name_in(set, key);
    }
  }
  return names;
}

inline constexpr auto kKeyNames = make_key_names();

}  // namespace internal

// The name of a key's number, for locks whose keys are strings. Different for any two numbers, but
// for those of the first kMostNamedKeys keys of the key sets, where only those of one set differ.
class KeyName {
 public:
  explicit KeyName(std::uint64_t value) {
    for (const internal::NameInSet& name : internal::kKeyNames) {
      if (name.value == value) known_ = {name.text.data(), name.size};
    }
    if (known_.data() == nullptr && value < kMostNamedKeys) known_ = internal::kPlainNames[value];
    if (known_.data() != nullptr) return;
    own_.front() = 'z';  // behind the plain names, as the number is
    for (std::size_t i = own_.size() - 1; i > 0; --i, value /= 10) {
      own_[i] = static_cast<char>('0' + value % 10);
    }
  }

  std::string_view view() const {
    return known_.data() != nullptr ? known_ : std::string_view(own_.data(), own_.size());
  }

 private:
  std::string_view known_;
  std::array<char, 21> own_{};
};

}  // namespace lockbench::stress
