// SPDX-License-Identifier: Apache-2.0

// Keys: how a key becomes a hash, how keys are compared, and how several parts become one key.
//
// A hash of your own is a type with an operator() that returns 64 bits. If it takes different keys
// for equal, it defines what "equal" means, so that hash and equality cannot disagree:
//
//   struct ByDomain {
//     std::uint64_t operator()(std::string_view email) const noexcept;
//     static bool is_equal(std::string_view a, std::string_view b) noexcept;
//     static bool is_less(std::string_view a, std::string_view b) noexcept;  // for handle_both()
//   };
//
// Guarantees   our hashes return the same value in every process and run, so that which keys share
//              a stripe can be repeated; every bit of the key affects every bit of the hash.
// Not offered  resistance to an attacker that chooses colliding keys: the hash has no secret.
// Requires     of a hash: keys that is_equal() takes for equal (operator== without it) have one
//              hash, and is_less() takes neither of two equal keys for less. Every bit of a hash
//              that declares `is_avalanching` depends on every bit of the key; any other hash,
//              for example std::hash of an integer, is mixed first.
// Source       the multiply-and-fold step is Wang Yi's, "wyhash", 2019; the integer mixer is
//              Sebastiano Vigna's choice of constants for SplitMix64, 2015.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <type_traits>

#include "primitives/internal/wide_product.h"

namespace lockbench {

namespace internal {

inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) noexcept {
  const WideProduct product = wide_product(a, b);
  return product.low ^ product.high;
}

template <std::unsigned_integral Word>
Word read_word(const char* bytes) noexcept {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

inline constexpr std::uint64_t kOddA = 0xa0761d6478bd642f;
inline constexpr std::uint64_t kOddB = 0xe7037ed1a0b428db;
inline constexpr std::uint64_t kOddC = 0x8ebc6af09c88c6e3;

}  // namespace internal

// Hash of a key; O(length), about 1 ns for an integer and 2-4 ns for a short string.
struct KeyHash {
  using is_avalanching = void;

  std::uint64_t operator()(std::uint64_t key) const noexcept {
    key += 0x9e3779b97f4a7c15;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
    key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
    return key ^ (key >> 31);
  }

  std::uint64_t operator()(std::string_view key) const noexcept {
    using internal::fold_multiply;
    using internal::kOddA;
    using internal::kOddB;
    using internal::kOddC;
    using internal::read_word;
    const char* at = key.data();
    std::size_t left = key.size();
    std::uint64_t state = kOddA;
    const auto fold_head = [&] {
      return fold_multiply(read_word<std::uint64_t>(at) ^ kOddB,
                           read_word<std::uint64_t>(at + 8) ^ state);
    };
    for (; left > 32; left -= 16, at += 16) state = fold_head();
    // Two blocks that may overlap. Neither waits for the product of the other.
    if (left > 16) {
      const char* const last = at + left - 16;
      const std::uint64_t tail = fold_multiply(read_word<std::uint64_t>(last) ^ kOddC,
                                               read_word<std::uint64_t>(last + 8) ^ kOddA);
      return fold_multiply(kOddB ^ key.size() ^ fold_head(), kOddC ^ tail);
    }
    // The last 1 to 16 bytes, read as two words that may overlap.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (left >= 8) {
      first = read_word<std::uint64_t>(at);
      last = read_word<std::uint64_t>(at + left - 8);
    } else if (left >= 4) {
      first = read_word<std::uint32_t>(at);
      last = read_word<std::uint32_t>(at + left - 4);
    } else {
      for (std::size_t i = 0; i < left; ++i) {
        first = (first << 8) | static_cast<unsigned char>(at[i]);
      }
    }
    return fold_multiply(kOddB ^ key.size(), fold_multiply(first ^ kOddA, last ^ state ^ kOddB));
  }
};

// Hash under which strings that differ only in the case of ASCII letters are one key. Letters
// beyond ASCII are compared as bytes: their case depends on a language, and a lock has none.
struct CaseInsensitiveHash {
  using is_avalanching = void;

  static constexpr char lower(char c) noexcept {
    return (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  static constexpr bool lower_is_less(char a, char b) noexcept {
    return static_cast<unsigned char>(lower(a)) < static_cast<unsigned char>(lower(b));
  }

  static bool is_equal(std::uint64_t a, std::uint64_t b) noexcept { return a == b; }
  static bool is_equal(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
  }

  static bool is_less(std::uint64_t a, std::uint64_t b) noexcept { return a < b; }
  static bool is_less(std::string_view a, std::string_view b) noexcept {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), lower_is_less);
  }

  std::uint64_t operator()(std::uint64_t key) const noexcept { return KeyHash{}(key); }

  std::uint64_t operator()(std::string_view key) const noexcept {
    std::uint64_t state = internal::kOddA ^ key.size();
    for (const char c : key) {
      state =
          internal::fold_multiply(state ^ static_cast<unsigned char>(lower(c)), internal::kOddB);
    }
    return state;
  }
};

// How primitives compare keys that `Hash` hashes.
template <class Hash>
struct KeyTraits {
  template <class K>
  static constexpr bool equal(const K& a, const K& b) {
    if constexpr (requires { Hash::is_equal(a, b); }) {
      return Hash::is_equal(a, b);
    } else {
      return a == b;
    }
  }

  // The order in which several keys are taken. Equal keys need equal positions in it: else two
  // threads could take one pair of keys in two orders, and deadlock.
  template <class K>
  static constexpr bool less(const K& a, const K& b) {
    if constexpr (requires { Hash::is_equal(a, b); }) {
      static_assert(
          requires { Hash::is_less(a, b); },
          "a hash that has is_equal() needs is_less() for several keys at once");
      return Hash::is_less(a, b);
    } else {
      return a < b;
    }
  }
};

// A hash that a primitive can use for keys of type K. Keys of a type of your own are compared by
// operator==, or by the hash's is_equal(); pointers are no keys, since their targets may be meant.
template <class Hash, class K>
concept HashOf = std::copy_constructible<K> && !std::is_pointer_v<K> && requires(const K& key) {
  { Hash{}(key) } -> std::convertible_to<std::uint64_t>;
}
&&(std::equality_comparable<K> || requires(const K& key) {
  { Hash::is_equal(key, key) } -> std::convertible_to<bool>;
});

// A type of keys beside numbers, strings and composite keys.
template <class K, class Hash>
concept OwnKey = HashOf<Hash, K> && !std::convertible_to<const K&, std::uint64_t> &&
                 !std::convertible_to<const K&, std::string_view>;

// KeyHash for integers and strings, else std::hash.
template <class K>
using DefaultKeyHash =
    std::conditional_t<(std::integral<K> && sizeof(K) <= sizeof(std::uint64_t)) ||
                           std::convertible_to<const K&, std::string_view>,
                       KeyHash, std::hash<K>>;

// The hash of a key. Any of its bits may choose a bucket or a stripe.
template <class Hash, class K>
std::uint64_t spread_hash(const K& key) noexcept {
  if constexpr (std::same_as<Hash, KeyHash> && std::integral<K>) {
    return KeyHash{}(static_cast<std::uint64_t>(key));
  } else if constexpr (requires { typename Hash::is_avalanching; }) {
    return Hash{}(key);
  } else {
    return KeyHash{}(static_cast<std::uint64_t>(Hash{}(key)));
  }
}

// Numbers that can be a part of a key. Characters are not: whether 'a' is a number or a string
// cannot be known. Numbers with a fraction are not: 1.2 and 1.9 would be one key.
template <class T>
concept NumberPart = (std::integral<T> || std::is_enum_v<T>)&&sizeof(T) <= sizeof(std::uint64_t) &&
                     !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                     !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                     !std::same_as<T, char32_t>;

namespace internal {

// Values of number parts whose 64 bits can be equal although the values are not.
enum class NumberKind : char { kNotNegative = 'n', kNegative = 'z', kBool = 'b' };

template <NumberPart Number>
constexpr NumberKind kind_of(Number part) noexcept {
  if constexpr (std::same_as<Number, bool>) {
    return NumberKind::kBool;
  } else {
    return part < Number{} ? NumberKind::kNegative : NumberKind::kNotNegative;
  }
}

}  // namespace internal

// One key made of parts, in which order counts: ("a", "b") is not ("b", "a"), nor ("ab", "").
struct CompositeKey {
  std::uint64_t hash = 0;
};

// `Hash` is applied to each part: strings, and numbers, which are one part if their values are
// equal, whatever their types; true is not 1. O(length of all parts).
template <class Hash = KeyHash, class... Parts>
requires((NumberPart<Parts> ||
          std::convertible_to<const Parts&, std::string_view>)&&...) CompositeKey
    composite(const Parts&... parts)
noexcept {
  std::uint64_t state = internal::kOddB;
  const auto add = [&state](const auto& part) {
    using Part = std::remove_cvref_t<decltype(part)>;
    if constexpr (NumberPart<Part>) {
      // The kind of usual numbers leaves the state as it is.
      state ^= static_cast<std::uint64_t>(internal::kind_of(part)) ^ std::uint64_t{'n'};
      state = internal::fold_multiply(
          std::rotl(state, 29) ^ Hash{}(static_cast<std::uint64_t>(part)), internal::kOddA);
    } else {
      state = internal::fold_multiply(std::rotl(state, 29) ^ Hash{}(std::string_view(part)),
                                      internal::kOddA);
    }
  };
  (add(parts), ...);
  return {.hash = state};
}

// An index below `count`, taken from the high bits of `hash`; any count, no division.
// Source: D. Lemire, "Fast Random Integer Generation in an Interval", 2019.
inline std::size_t index_below(std::size_t count, std::uint64_t hash) noexcept {
  return static_cast<std::size_t>(internal::wide_product(hash, count).high);
}

}  // namespace lockbench
