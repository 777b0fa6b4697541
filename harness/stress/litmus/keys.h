// SPDX-License-Identifier: Apache-2.0

// Keys: maps the keys of a litmus program to numbers and names.
//
// A program uses the keys 0, 1, 2, … With these, a lock may appear correct although it uses only a
// part of a key, or compares hashes instead of keys. So a program is also run with keys that differ
// only in their high bits, and with names that have the same beginning, have the same end, or
// differ only after a zero byte. Each KeyName has its own copy of its text, so two equal names have
// different addresses. Pure and without allocation, because a plug-in compiles this code and a
// simulation runs it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

namespace lockbench::stress {

// The numbers of the key sets. 0: the numbers themselves. 1: numbers like those that a hash
// function returns. 2: numbers and names that common hash functions map to one value. 8, 12, 16,
// 24, 32, 48: multiples of 2^8, 2^12, 2^16, 2^24, 2^32, 2^48. 63: numbers of which some differ in
// the highest bit or in their sign alone. 64: the highest numbers; key 7 is the highest of all,
// which a table may use as a mark.
inline constexpr std::uint32_t kHashedKeys = 1;
inline constexpr std::uint32_t kCollidingKeys = 2;
inline constexpr std::uint32_t kSignedKeys = 63;
inline constexpr std::uint32_t kHighestKeys = 64;
inline constexpr std::uint32_t kKeySets[] = {0,  kHashedKeys, kCollidingKeys, 8, 12, 16, 24, 32,
                                             48, kSignedKeys, kHighestKeys};

// The names of key set 24 are words only for a lock that compares bytes, and those of the highest
// keys have a zero byte.
inline constexpr std::uint32_t kNamesOfOneWordSet = 24;
constexpr bool has_plain_names(std::uint32_t key_set) {
  return key_set != kNamesOfOneWordSet && key_set != kHighestKeys;
}

constexpr bool is_key_set(std::uint32_t number) {
  return std::find(std::begin(kKeySets), std::end(kKeySets), number) != std::end(kKeySets);
}

// The number that replaces key `key` of a program. Different keys of a set have different numbers.
// For the first kMostNamedKeys keys, the number grows with the key, since programs nest keys in
// ascending order, and the numbers of different sets differ.
inline constexpr std::uint64_t kMostNamedKeys = 8;

// Keys 4 and 5 are keys 0 and 1 with the highest bit, keys 6 and 7 are keys 3 and 2 with a minus.
constexpr std::uint64_t signed_key(std::uint64_t key) {
  constexpr std::uint64_t kFirst = 0x5a5a5a;
  constexpr std::uint64_t kHighestBit = std::uint64_t{1} << 63;
  if (key == 4 || key == 5) return (kFirst + key - 4) | kHighestBit;
  if (key == 6 || key == 7) return std::uint64_t{0} - (kFirst + 9 - key);
  return kFirst + key;
}

constexpr std::uint64_t key_value(std::uint32_t key_set, std::uint64_t key) {
  switch (key_set) {
    case 0:
      return key;
    case kHashedKeys:
      return ((key + 1) << 60) + (key + 1) * 0x9e3779b97f4a7c15ULL % (1ULL << 60);
    case kCollidingKeys:  // eight equal bytes: all their halves, quarters and bytes cancel out
      return (key + 1) * 0x0101010101010101ULL;
    case kSignedKeys:
      return signed_key(key);
    case kHighestKeys:
      return ~std::uint64_t{0} - (kMostNamedKeys - 1) + key;
    default:  // a shift, of which no bit is lost
      return std::rotl(key + 1, static_cast<int>(key_set));
  }
}

namespace internal {

inline constexpr std::string_view kPlainNames[kMostNamedKeys] = {
    "ada", "barbara", "edsger", "fran", "grace", "leslie", "maurice", "tony"};

// The names of key set 24: different, though a lock that takes a name for a word or a number, and
// not for bytes, may find that some are equal. It ignores blanks at the end, case, or zeros before
// a number. The first one is empty.
inline constexpr std::string_view kNamesOfOneWord[kMostNamedKeys] = {"",   " ",   "0", "0 ",
                                                                     "00", "0x0", "A", "a"};

// The names of key set 2. Pairs of them have one value under the hash functions of Java and of
// Bernstein (a sum times 31 and 33), under CRC-32 and under FNV-1a with 32 bits.
inline constexpr std::string_view kNamesOfOneHash[kMostNamedKeys] = {
    "Aa", "BB", "Ez", "FY", "buckeroo", "costarring", "liquid", "plumless"};

// Longer than the strings that a std::string stores without allocation, and longer than a buffer of
// 256 characters.
inline constexpr std::size_t kLongPart = 40;
inline constexpr std::size_t kVeryLongPart = 260;

struct NameInSet {
  std::uint64_t value = 0;
  std::size_t size = 0;
  std::array<char, kVeryLongPart + 1> text{};

  constexpr void add(std::size_t count, char letter) {
    for (std::size_t i = 0; i < count; ++i) text[size++] = letter;
  }
};

constexpr NameInSet name_in(std::uint32_t key_set, std::uint64_t key) {
  NameInSet name{.value = key_value(key_set, key)};
  const char letter = static_cast<char>('a' + key);
  const bool long_before = key_set == 12 || key_set == 32;
  const bool long_after = key_set == 16 || key_set == 32;
  if (key_set == kNamesOfOneWordSet) {
    for (const char of_word : kNamesOfOneWord[key]) name.add(1, of_word);
    return name;
  }
  if (key_set == kCollidingKeys) {
    for (const char of_hash : kNamesOfOneHash[key]) name.add(1, of_hash);
    return name;
  }
  if (key_set == kHashedKeys) {
    name.add(key, 'x');  // each name is a prefix of the next
  } else if (key_set == kHighestKeys) {
    name.add(3, 'n');
    name.add(1, '\0');  // the names differ after the zero byte
  } else if (key_set == 8) {
    // All names have the same blocks of 16 equal letters in a different order, so a hash that adds
    // letters, or words of 4, 8 or 16 bytes, maps them to one value.
    for (std::uint64_t i = 0; i < kMostNamedKeys; ++i) {
      name.add(16, static_cast<char>('a' + (key + i) % kMostNamedKeys));
    }
    return name;
  } else if (key_set == 48) {
    name.add(kVeryLongPart, 'm');
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

// The name for the number of a key, for locks whose keys are strings. Two different numbers have
// different names. Exception: for the first kMostNamedKeys keys of the key sets, names differ only
// within one set.
class KeyName {
 public:
  explicit KeyName(std::uint64_t value) {
    for (const internal::NameInSet& name : internal::kKeyNames) {
      if (name.value == value) {
        copy({name.text.data(), name.size});
        return;
      }
    }
    if (value < kMostNamedKeys) {
      copy(internal::kPlainNames[value]);
      return;
    }
    text_.front() = 'z';  // sorts after the plain names, like the number
    size_ = kDigits + 1;
    for (std::size_t i = kDigits; i > 0; --i, value /= 10) {
      text_[i] = static_cast<char>('0' + value % 10);
    }
  }

  std::string_view view() const { return {text_.data(), size_}; }

 private:
  static constexpr std::size_t kDigits = 20;  // of the highest number

  void copy(std::string_view name) {
    std::memcpy(text_.data(), name.data(), name.size());
    size_ = name.size();
  }

  std::size_t size_ = 0;
  std::array<char, internal::kVeryLongPart + 1> text_{};
};

}  // namespace lockbench::stress
